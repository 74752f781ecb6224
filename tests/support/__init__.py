"""What tests of several folders need: books, servers, clients and stand-ins, named by what they are for."""
