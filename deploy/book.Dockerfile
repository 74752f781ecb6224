# A book baked into an image: it serves without a volume, and after a restart it has everything but its sessions.
# The context is the book's folder:
#
#   docker build --file deploy/book.Dockerfile --build-arg GLOSSATOR=glossator --tag my-book my-book
ARG GLOSSATOR=glossator

# hadolint ignore=DL3006
FROM ${GLOSSATOR}
COPY . /book
RUN ["glossator", "ingest", "/book"]
