"""A headless Chromium, spoken to over two pipes by its DevTools protocol: no driver, no port, no
network.

with Browser.start() as b:
    b.open(path, width=400); b.evaluate("document.title"); b.errors
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
from urllib.parse import quote

NAMES = ("chromium-headless-shell", "chromium")
SECONDS = 60


def find_browser():
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    def __init__(self, program):
        self.home = tempfile.mkdtemp(prefix="chromium-")
        theirs, self.to = os.pipe()
        self.answers, ours = os.pipe()
        words = [
            program,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--remote-debugging-pipe",
            "--disable-dev-shm-usage",
            f"--user-data-dir={self.home}",
            "about:blank",
        ]
        # The protocol's pipes are 3 and 4 of the browser; both are moved out of the way first.
        shell = 'exec 3<&"$0" 4>&"$1"; shift; exec "$@"'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, str(theirs), str(ours), *words],
            pass_fds=(theirs, ours),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(theirs)
        os.close(ours)
        self.buffer, self.count, self.session, self.events, self.errors = b"", 0, None, [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    @classmethod
    def start(cls):
        return cls(find_browser())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.to)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, 9)
            self.process.wait()
        os.close(self.answers)
        shutil.rmtree(self.home, ignore_errors=True)

    def _message(self):
        while b"\0" not in self.buffer:
            if not select.select([self.answers], [], [], SECONDS)[0]:
                raise TimeoutError("the browser says nothing")
            read = os.read(self.answers, 1 << 20)
            if not read:
                raise EOFError("the browser ended")
            self.buffer += read
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def _note(self, event):
        self.events.append(event)
        method, given = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(given["exceptionDetails"]["text"])
        if method == "Log.entryAdded" and given["entry"]["level"] in ("error", "warning"):
            self.errors.append(given["entry"]["text"])
        if method == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning", "assert"):
            self.errors.append(str(given["args"]))
        if method == "Network.requestWillBeSent" and not given["request"]["url"].startswith(
            ("file:", "about:", "data:")
        ):
            self.errors.append("asked for " + given["request"]["url"])

    def call(self, method, **params):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            got = self._message()
            if got.get("id") == self.count:
                if "error" in got:
                    raise RuntimeError(f"{method}: {got['error']}")
                return got["result"]
            self._note(got)

    def open(self, path, width=1280, height=900, dark=False, script=True, fragment=""):
        self.errors.clear()
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url="about:blank")
        self.events.clear()
        loader = self.call("Page.navigate", url=f"file://{quote(str(path))}{fragment}")["loaderId"]
        # reports again what this page has reached
        self.call("Page.setLifecycleEventsEnabled", enabled=True)
        while not any(
            e.get("method") == "Page.lifecycleEvent"
            and e["params"]["loaderId"] == loader
            and e["params"]["name"] == "load"
            for e in self.events
        ):
            self._note(self._message())

    def evaluate(self, expression):
        got = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in got:
            raise RuntimeError(
                got["exceptionDetails"]["exception"].get(
                    "description", got["exceptionDetails"]["text"]
                )
            )
        return got["result"].get("value")

    def key(self, name):
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if name == "Enter" and kind == "keyDown" else {}
            code = {"Tab": 9, "Enter": 13}[name]
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=name,
                code=name,
                windowsVirtualKeyCode=code,
                **text,
            )

    def screenshot(self, path, whole=True):
        data = self.call(
            "Page.captureScreenshot",
            captureBeyondViewport=whole,
            **({"clip": self._page()} if whole else {}),
        )["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def _page(self):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {
            "x": 0,
            "y": 0,
            "width": size["width"],
            "height": min(size["height"], 6000),
            "scale": 1,
        }
