"""A throw-away Kubernetes API server for tests: a real one, in memory, that can be put back, forked and broken on purpose.

As a pytest plugin it gives two fixtures: `pilothouse_server`, one server for the session, and `pilothouse`, the same server
put back to its start before each test. It needs the program pilothouse (npm install pilothouse-apiserver, or the single
executable) and nothing but Python's standard library.

    def test_keeps_a_colour(pilothouse):
        kubernetes.config.load_kube_config_from_dict(yaml.safe_load(pilothouse.kubeconfig))
"""

import json
import os
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request


class PilothouseError(Exception):
    """What the server refused. `code` is the status code, `status` the Status object of the API, if there was one."""

    def __init__(self, message, code=0, status=None):
        super().__init__(message)
        self.code = code
        self.status = status


class Server:
    """A running server, or a fork of one. Use it as a context manager, or call `stop`."""

    def __init__(self, description, process=None):
        self.url = description["url"]
        self.token = description["token"]
        self.kubeconfig = description["kubeconfig"]
        self.test_endpoint = description["testEndpoint"]
        self._process = process
        self._kubeconfig_file = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Ends the server, or the fork, and everything in it."""
        if self._kubeconfig_file is not None:
            os.unlink(self._kubeconfig_file)
            self._kubeconfig_file = None
        if self._process is None:
            self._call("DELETE", "/")
            return
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._process.stderr.close()

    def kubeconfig_file(self):
        """The path of a kubeconfig, for programs; it is gone after `stop`."""
        if self._kubeconfig_file is None:
            descriptor, self._kubeconfig_file = tempfile.mkstemp(prefix="pilothouse-", suffix=".kubeconfig")
            with os.fdopen(descriptor, "w") as file:
                file.write(self.kubeconfig)
        return self._kubeconfig_file

    def reset(self, to=None):
        """Puts everything back to the start, or to a snapshot: objects, clock, faults, recorded requests."""
        self._call("POST", "/reset", {} if to is None else {"to": to})

    def snapshot(self, name):
        """Remembers the present state under a name. It copies nothing."""
        self._call("POST", "/snapshot", {"name": name})

    def fork(self):
        """An independent server that begins with the same state."""
        return Server(self._call("POST", "/fork"))

    def apply(self, manifest):
        """Applies YAML text, or objects. Definitions of custom resources go first and are waited for."""
        text = manifest if isinstance(manifest, str) else json.dumps(_manifest(manifest))
        return self._call("POST", "/apply", text)

    def user(self, name, groups=()):
        """Somebody with a token of their own: `token` and `kubeconfig`."""
        return self._call("POST", "/users", {"name": name, "groups": list(groups)})

    def add_fault(self, **fault):
        """Breaks requests that match, such as `verb="list", resource="pods", error=503, times=1`. Returns its id."""
        return self._call("POST", "/faults", fault)["id"]

    def remove_fault(self, fault):
        """Mends it again, and tells how many requests were hit."""
        return self._call("DELETE", "/faults/" + fault)["hits"]

    def clear_faults(self):
        self._call("DELETE", "/faults")

    def script_pods(self, pods, **script):
        """What the simulated pods that match do, such as `"web-*", exit={"exitCode": 1}`. Returns its id."""
        return self._call("POST", "/pods/scripts", {"pods": pods, "script": script})["id"]

    def stop_script(self, script):
        self._call("DELETE", "/pods/scripts/" + script)

    def fail_node(self, name):
        """Makes a simulated node silent, as if it had lost its power."""
        self._call("POST", "/nodes/fail", {"name": name})

    def return_node(self, name):
        """Brings a node that failed back."""
        self._call("POST", "/nodes/return", {"name": name})

    def requests(self, **match):
        """The requests that match, such as `verb="create", user="alice"`, oldest first."""
        return self._call("GET", "/requests?" + urllib.parse.urlencode(match))

    def break_watches(self, kind="cut", **match):
        """Breaks the open watches that match, and tells how many."""
        return self._call("POST", "/watches/break", {"kind": kind, "match": match})["count"]

    def now(self):
        """The server's clock, in seconds since 1970."""
        return self._call("GET", "/clock")["now"] / 1000

    def advance(self, seconds):
        """Moves the server's clock. Whatever is due by then happens in order."""
        self._call("POST", "/clock/advance", {"ms": int(seconds * 1000)})

    def settled(self):
        """Returns when the server's own controllers have nothing to do."""
        self._call("POST", "/settled")

    def compact(self):
        """Forgets all history: watches and lists of older versions get 410."""
        self._call("POST", "/compact")

    def _call(self, method, path, body=None):
        data = None if body is None else (body if isinstance(body, str) else json.dumps(body)).encode()
        request = urllib.request.Request(self.test_endpoint + path, data, method=method)
        # A proxy of the environment is not for this machine.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                text = error.read().decode()
            try:
                refused = json.loads(text)
            except ValueError:
                refused = {"error": text}
            raise PilothouseError(refused.get("error"), error.code, refused.get("status")) from None


def _manifest(objects):
    if isinstance(objects, dict):
        return objects
    return {"apiVersion": "v1", "kind": "List", "items": list(objects)}


def start(*flags, command=None, simulate=False):
    """Starts a server; `flags` are those of kube-apiserver. It ends with `stop`, or when this process does.

    `simulate` runs workload controllers, a scheduler and nodes without containers: True, or settings such as "nodes=3".
    """
    args = [*(command or _command()), "test", "--json", "--test-endpoint=127.0.0.1:0", *flags]
    if simulate:
        args.append("--simulate" if simulate is True else f"--simulate={simulate}")
    pipe = subprocess.PIPE
    process = subprocess.Popen(args, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    line = process.stdout.readline()
    if line:
        return Server(json.loads(line), process)
    _, said = process.communicate()
    raise PilothouseError("pilothouse did not start: " + said.strip())


def _command():
    given = os.environ.get("PILOTHOUSE", "")
    if given:
        return given.split()
    found = shutil.which("node_modules/.bin/pilothouse") or shutil.which("pilothouse")
    if found is None:
        raise PilothouseError(
            "there is no pilothouse on the PATH: npm install pilothouse-apiserver, or set PILOTHOUSE to the program"
        )
    return [found]


try:
    import pytest
except ImportError:
    # The server is of use without pytest, too.
    pass
else:

    @pytest.fixture(scope="session")
    def pilothouse_server():
        """One server for all tests. Define a fixture of this name to start it otherwise."""
        with start() as server:
            yield server

    @pytest.fixture
    def pilothouse(pilothouse_server):
        """The server as it was at its start."""
        pilothouse_server.reset()
        return pilothouse_server
