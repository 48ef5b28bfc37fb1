"""What the files of tests with services of their own share."""

import pytest
from left_folder import LeftFolder


@pytest.fixture(scope="session")
def left() -> LeftFolder:
    """What the service of an earlier file has left behind."""
    return LeftFolder()
