"""Renew the pictures of the dashboard in docs/images, from the diary that `graphmem demo` serves.

    python -m scripts.take_screenshots http://127.0.0.1:8321

It needs a Chromium, as the tests of the dashboard do, and Pillow, which makes the files small."""

import asyncio
import base64
import io
import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from tests.fakes.browsers import Tab, tab_on

FOLDER = Path(__file__).parents[1] / "docs" / "images"
COLOURS = 256
DESK, PHONE = (1440, 900), (390, 844)
READY = (
    "!!document.querySelector('.page[data-ready]') && "
    "document.querySelector('.dot').dataset.state === 'live'"
)
QUESTION = "Whom+do+I+ring%2C+and+when%2C+about+the+part+that+stuck+in+the+Blue+Kiln%3F"
PREVIEW = """(() => {
    const box = document.querySelector('textarea');
    box.value = 'Henk Douma of Gillmoor Circuits sends the new relay for the Blue Kiln on 12 May.';
    box.closest('form').requestSubmit();
})()"""


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A view, and what is done there before the picture is taken."""

    name: str
    address: str
    act: str = "true"
    until: str = "true"
    size: tuple[int, int] = DESK
    dark: bool = False


PICTURES = (
    Picture(name="overview", address="overview?"),
    Picture(name="ask", address=f"ask?q={QUESTION}&"),
    Picture(name="compare", address="ask?q=What+is+the+cash+floor%3F&beside=agent%3Asales&"),
    Picture(
        name="remember",
        address="remember?",
        act=PREVIEW,
        until="!!document.querySelector('p.verdict')",
    ),
    Picture(
        name="note",
        address="notes?text=relay&",
        act="document.querySelector('[data-note] .open').click()",
        until="!!document.querySelector('#drawer .readers')",
    ),
    Picture(name="graph", address="graph?kind=ENTITY&of=Blue+Kiln&depth=2&", dark=True),
    Picture(name="entity", address="entities?name=Henk+Douma&"),
    Picture(name="time", address="time?", dark=True),
    Picture(name="phone-overview", address="overview?", size=PHONE),
    Picture(name="phone-ask", address=f"ask?q={QUESTION}&", size=PHONE, dark=True),
)


async def take(tab: Tab, picture: Picture) -> bytes:
    """Show a view and return its picture."""
    width, height = picture.size
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    await tab.call("Emulation.setDeviceMetricsOverride", **size)
    await tab.call("Emulation.setScrollbarsHidden", hidden=True)
    look = {"name": "prefers-color-scheme", "value": "dark" if picture.dark else "light"}
    await tab.call("Emulation.setEmulatedMedia", features=[look])
    address = f"#/{picture.address}user=mara"
    leave = "document.querySelector('.page')?.removeAttribute('data-ready')"
    await tab.run(f"{leave}; location.hash = {json.dumps(address)}")
    await tab.until(READY)
    await tab.run(picture.act)
    await tab.until(picture.until)
    await asyncio.sleep(2)  # until nothing moves
    return base64.b64decode((await tab.call("Page.captureScreenshot", format="png"))["data"])


async def take_all(base: str, names: list[str]) -> None:
    """Write the pictures that are named, or all."""
    with tempfile.TemporaryDirectory() as folder:
        async with tab_on(Path(folder), f"{base}/#/settings?user=mara") as tab:
            await tab.until(READY)
            for picture in PICTURES:
                if names and picture.name not in names:
                    continue
                image = Image.open(io.BytesIO(await take(tab, picture)))
                file = FOLDER / f"dashboard-{picture.name}.png"
                small = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
                small.save(file, optimize=True)
                print(f"{file.name}: {file.stat().st_size // 1000} kB")


if __name__ == "__main__":
    asyncio.run(take_all(sys.argv[1], sys.argv[2:]))
