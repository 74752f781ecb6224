"""How the assistant examines itself: by questions whose right reply is known, without any model."""
