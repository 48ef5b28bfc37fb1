"""REST: the commands of `operations` over plain HTTP, and an OpenAPI document of them."""
