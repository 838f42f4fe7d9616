package pilothouse

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func start(t *testing.T, options Options) *Server {
	t.Helper()
	// A busy machine is no failure.
	options.StartTimeout = 5 * time.Minute
	server, err := Start(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	return server
}

// get asks the API itself, as any client does.
func get(t *testing.T, server *Server, token, path string) (int, string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	request, _ := http.NewRequest(http.MethodGet, server.URL+path, nil)
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := client.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(body)
}

const colours = `
apiVersion: v1
kind: ConfigMap
metadata: {name: colours, namespace: default}
data: {sky: blue}
`

const configMap = "/api/v1/namespaces/default/configmaps/colours"

func TestServer(t *testing.T) {
	ctx := context.Background()
	server := start(t, Options{})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	expect := func(on *Server, token string, want int) {
		t.Helper()
		if code, body := get(t, on, token, configMap); code != want {
			t.Fatalf("%d instead of %d: %s", code, want, body)
		}
	}

	must(server.Apply(ctx, []byte(colours)))
	expect(server, server.Token, 200)
	must(server.Snapshot(ctx, "with colours"))

	fork, err := server.Fork(ctx)
	must(err)
	must(server.Reset(ctx))
	expect(server, server.Token, 404)
	expect(fork, fork.Token, 200)
	must(fork.Stop())
	must(server.ResetTo(ctx, "with colours"))
	expect(server, server.Token, 200)

	alice, err := server.AddUser(ctx, "alice", "devs")
	must(err)
	expect(server, alice.Token, 403)

	remove, err := server.AddFault(ctx, Fault{Match: Match{Verb: "get", Resource: "configmaps"}, Error: 503, Times: 1})
	must(err)
	expect(server, server.Token, 503)
	expect(server, server.Token, 200)
	hits, err := remove()
	must(err)
	requests, err := server.Requests(ctx, Match{Verb: "get", Resource: "configmaps", User: "alice"})
	must(err)
	if hits != 1 || len(requests) != 1 || requests[0].Status != 403 {
		t.Fatalf("%d hits, requests %+v", hits, requests)
	}

	before, err := server.Now(ctx)
	must(err)
	must(server.Advance(ctx, time.Hour))
	after, err := server.Now(ctx)
	must(err)
	if passed := after.Sub(before); passed < time.Hour || passed > 2*time.Hour {
		t.Fatalf("the clock moved by %s", passed)
	}
	must(server.Settled(ctx))
	must(server.Compact(ctx))

	var refused *Error
	err = server.Apply(ctx, []byte("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"))
	if !errors.As(err, &refused) || refused.Code != 422 || !strings.Contains(refused.Message, "spec.containers") {
		t.Fatalf("%#v", err)
	}
	must(server.Stop())
	if code, said := get(t, server, server.Token, configMap); code != 0 {
		t.Fatalf("it still serves: %d %s", code, said)
	}
}

const failing = `
apiVersion: v1
kind: Pod
metadata: {name: web-1, namespace: default}
spec: {restartPolicy: Never, containers: [{name: c, image: i}]}
`

func TestSimulation(t *testing.T) {
	ctx := context.Background()
	server := start(t, Options{Simulate: "nodes=1"})
	defer server.Stop()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	exit := map[string]interface{}{"exit": map[string]int{"exitCode": 3}}
	stop, err := server.ScriptPods(ctx, "web-*", exit)
	must(err)
	must(server.Apply(ctx, []byte(failing)))
	must(server.Settled(ctx))
	if _, body := get(t, server, server.Token, "/api/v1/namespaces/default/pods/web-1"); !strings.Contains(body, `"phase":"Failed"`) {
		t.Fatalf("the pod does not follow its script: %s", body)
	}
	must(stop())
	must(server.FailNode(ctx, "node-1"))
	must(server.Advance(ctx, 2*time.Minute))
	if _, body := get(t, server, server.Token, "/api/v1/nodes/node-1"); !strings.Contains(body, "NodeStatusUnknown") {
		t.Fatalf("the node is well: %s", body)
	}
	must(server.ReturnNode(ctx, "node-1"))
}

func TestApplyFiles(t *testing.T) {
	ctx := context.Background()
	server := start(t, Options{})
	defer server.Stop()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "colours.yaml"), []byte(colours), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := server.ApplyFiles(ctx, folder); err != nil {
		t.Fatal(err)
	}
	if code, _ := get(t, server, server.Token, configMap); code != 200 {
		t.Fatal(code)
	}
	if err := server.ApplyFiles(ctx, filepath.Join(folder, "none")); err == nil {
		t.Fatal("a file that is not there was applied")
	}
}

func TestStartThatFails(t *testing.T) {
	_, err := Start(context.Background(), Options{Flags: []string{"--no-such-flag"}})
	if err == nil || !strings.Contains(err.Error(), "unknown flag: --no-such-flag") {
		t.Fatal(err)
	}
	if _, err := Start(context.Background(), Options{Command: []string{"/nowhere/pilothouse"}}); !errors.Is(err, os.ErrNotExist) && !errors.Is(err, exec.ErrNotFound) {
		t.Fatal(err)
	}
}
