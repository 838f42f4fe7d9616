"""Tests of the client itself: with pytest, or with `python -m unittest` where there is none (the fixtures are then untested)."""

import json
import ssl
import unittest
import urllib.error
import urllib.request

import pilothouse_pytest

COLOURS = """
apiVersion: v1
kind: ConfigMap
metadata: {name: colours, namespace: default}
data: {sky: blue}
"""
PATH = "/api/v1/namespaces/default/configmaps/colours"


def get(server, token=None, path=PATH):
    """Asks the API itself, as any client does. Returns the status code."""
    request = urllib.request.Request(server.url + path, headers={"Authorization": "Bearer " + (token or server.token)})
    context = ssl._create_unverified_context()
    try:
        with urllib.request.urlopen(request, context=context) as response:
            json.load(response)
            return response.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code


class ServerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = pilothouse_pytest.start()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def setUp(self):
        self.server.reset()

    def test_state(self):
        server = self.server
        server.apply(COLOURS)
        self.assertEqual(get(server), 200)
        server.snapshot("with colours")
        with server.fork() as fork:
            server.reset()
            self.assertEqual((get(server), get(fork)), (404, 200))
        server.reset("with colours")
        self.assertEqual(get(server), 200)
        names = ["a", "b"]
        server.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in names])
        self.assertEqual([get(server, path="/api/v1/namespaces/" + name) for name in names], [200, 200])

    def test_users_and_requests(self):
        alice = self.server.user("alice", ["devs"])
        self.assertEqual(get(self.server, alice["token"]), 403)
        [request] = self.server.requests(verb="get", user="alice")
        self.assertEqual(request["status"], 403)
        self.assertIn("alice", alice["kubeconfig"])

    def test_faults(self):
        self.server.apply(COLOURS)
        fault = self.server.add_fault(verb="get", resource="configmaps", error=503, times=1)
        self.assertEqual([get(self.server), get(self.server)], [503, 200])
        self.assertEqual(self.server.remove_fault(fault), 1)

    def test_clock(self):
        before = self.server.now()
        self.server.advance(3600)
        self.assertGreaterEqual(self.server.now() - before, 3600)
        self.server.settled()
        self.server.compact()

    def test_simulation(self):
        with pilothouse_pytest.start(simulate="nodes=1") as server:
            script = server.script_pods("web-*", exit={"exitCode": 3})
            spec = {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}
            pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-1"}, "spec": spec}
            server.apply(pod)
            server.settled()
            [seen] = server.apply(pod)
            self.assertEqual(seen["status"]["phase"], "Failed")
            server.stop_script(script)
            server.fail_node("node-1")
            server.advance(120)
            server.return_node("node-1")

    def test_refusals(self):
        with self.assertRaisesRegex(pilothouse_pytest.PilothouseError, "spec.containers") as caught:
            self.server.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}})
        self.assertEqual(caught.exception.code, 422)

    def test_start_that_fails(self):
        with self.assertRaisesRegex(pilothouse_pytest.PilothouseError, "unknown flag: --no-such-flag"):
            pilothouse_pytest.start("--no-such-flag")


def test_fixture_first(pilothouse):
    pilothouse.apply(COLOURS)
    assert get(pilothouse) == 200


def test_fixture_is_reset(pilothouse):
    assert get(pilothouse) == 404


if __name__ == "__main__":
    unittest.main()
