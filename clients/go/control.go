package pilothouse

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sort"
	"time"
)

// Reset puts everything back to the start: objects, clock, faults, recorded requests.
func (s *Server) Reset(ctx context.Context) error {
	return s.call(ctx, http.MethodPost, "/reset", nil, nil)
}

// ResetTo puts everything back to a snapshot.
func (s *Server) ResetTo(ctx context.Context, snapshot string) error {
	return s.call(ctx, http.MethodPost, "/reset", map[string]string{"to": snapshot}, nil)
}

// Snapshot remembers the present state under a name, to go back to with ResetTo. It copies nothing.
func (s *Server) Snapshot(ctx context.Context, name string) error {
	return s.call(ctx, http.MethodPost, "/snapshot", map[string]string{"name": name}, nil)
}

// Fork gives an independent server that begins with the same state. Stop ends it.
func (s *Server) Fork(ctx context.Context) (*Server, error) {
	var answer json.RawMessage
	if err := s.call(ctx, http.MethodPost, "/fork", nil, &answer); err != nil {
		return nil, err
	}
	fork := &Server{}
	return fork, fork.describe(answer)
}

// Apply applies a manifest, YAML or JSON. Definitions of custom resources go first and are waited for.
func (s *Server) Apply(ctx context.Context, manifest []byte) error {
	return s.call(ctx, http.MethodPost, "/apply", manifest, nil)
}

// ApplyFiles applies files, and the *.yaml, *.yml and *.json of folders.
func (s *Server) ApplyFiles(ctx context.Context, paths ...string) error {
	for _, path := range paths {
		files, err := ManifestFiles(path)
		if err != nil {
			return err
		}
		for _, file := range files {
			manifest, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if err := s.Apply(ctx, manifest); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return nil
}

// ManifestFiles is the file itself, or the *.yaml, *.yml and *.json of a folder, in order; not of the folders in it.
func ManifestFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, err
	}
	var files []string
	for _, pattern := range []string{"*.yaml", "*.yml", "*.json"} {
		found, _ := filepath.Glob(filepath.Join(path, pattern))
		files = append(files, found...)
	}
	sort.Strings(files)
	return files, nil
}

// User is somebody with a token of their own.
type User struct {
	Name       string
	Groups     []string
	Token      string
	KubeConfig []byte
}

// AddUser makes a user, who may do what RBAC allows them.
func (s *Server) AddUser(ctx context.Context, name string, groups ...string) (*User, error) {
	var user struct {
		Name, Token, KubeConfig string
		Groups                  []string
	}
	if groups == nil {
		groups = []string{}
	}
	body := map[string]interface{}{"name": name, "groups": groups}
	if err := s.call(ctx, http.MethodPost, "/users", body, &user); err != nil {
		return nil, err
	}
	return &User{Name: user.Name, Groups: user.Groups, Token: user.Token, KubeConfig: []byte(user.KubeConfig)}, nil
}

// Match describes requests. Empty fields match all; * stands for any text.
type Match struct {
	Verb      string `json:"verb,omitempty"`
	Resource  string `json:"resource,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	User      string `json:"user,omitempty"`
	UserAgent string `json:"userAgent,omitempty"`
	Path      string `json:"path,omitempty"`
}

// Fault breaks requests that match, on purpose. See docs/testing.md for what each field does.
type Fault struct {
	Match
	Skip  int     `json:"skip,omitempty"`
	Times int     `json:"times,omitempty"`
	Share float64 `json:"share,omitempty"`

	// Error is a code, such as 409, or an object with code, reason, message and retryAfter.
	Error interface{} `json:"error,omitempty"`
	// Latency in milliseconds.
	Latency int `json:"latency,omitempty"`
	// Cut is "before" or "after" the request was carried out.
	Cut string `json:"cut,omitempty"`
	// Watch is "cut", "silent", "expired" or "without bookmarks", or an object with kind and afterEvents.
	Watch           interface{} `json:"watch,omitempty"`
	ExpiredContinue bool        `json:"expiredContinue,omitempty"`
	Stale           interface{} `json:"stale,omitempty"`
	// Webhook is "timeout", "refused" or a code.
	Webhook interface{} `json:"webhook,omitempty"`
}

// AddFault breaks requests from now on. The function that it returns mends that again, and tells how many were hit.
func (s *Server) AddFault(ctx context.Context, fault Fault) (remove func() (hits int, err error), err error) {
	var added struct{ ID string }
	if err := s.call(ctx, http.MethodPost, "/faults", fault, &added); err != nil {
		return nil, err
	}
	return func() (int, error) {
		var removed struct{ Hits int }
		err := s.call(ctx, http.MethodDelete, "/faults/"+added.ID, nil, &removed)
		return removed.Hits, err
	}, nil
}

// ClearFaults mends everything.
func (s *Server) ClearFaults(ctx context.Context) error {
	return s.call(ctx, http.MethodDelete, "/faults", nil, nil)
}

// ScriptPods says what the simulated pods that match do, "web-*" for one: {"exit": {"exitCode": 1}}. See docs/simulation.md.
// The function that it returns ends it.
func (s *Server) ScriptPods(ctx context.Context, pods, script interface{}) (stop func() error, err error) {
	var added struct{ ID string }
	body := map[string]interface{}{"pods": pods, "script": script}
	if err := s.call(ctx, http.MethodPost, "/pods/scripts", body, &added); err != nil {
		return nil, err
	}
	return func() error { return s.call(ctx, http.MethodDelete, "/pods/scripts/"+added.ID, nil, nil) }, nil
}

// FailNode makes a simulated node silent, as if it had lost its power.
func (s *Server) FailNode(ctx context.Context, name string) error {
	return s.call(ctx, http.MethodPost, "/nodes/fail", map[string]string{"name": name}, nil)
}

// ReturnNode brings a node that failed back.
func (s *Server) ReturnNode(ctx context.Context, name string) error {
	return s.call(ctx, http.MethodPost, "/nodes/return", map[string]string{"name": name}, nil)
}

// Request is one that the server has answered.
type Request struct {
	Verb      string          `json:"verb"`
	Resource  string          `json:"resource"`
	Namespace string          `json:"namespace"`
	Name      string          `json:"name"`
	User      string          `json:"user"`
	UserAgent string          `json:"userAgent"`
	Path      string          `json:"path"`
	Status    int             `json:"status"`
	Body      json.RawMessage `json:"body"`
}

// Requests are those that match, oldest first.
func (s *Server) Requests(ctx context.Context, match Match) ([]Request, error) {
	query := url.Values{}
	for name, value := range map[string]string{
		"verb": match.Verb, "resource": match.Resource, "namespace": match.Namespace, "name": match.Name,
		"user": match.User, "userAgent": match.UserAgent, "path": match.Path,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	var requests []Request
	err := s.call(ctx, http.MethodGet, "/requests?"+query.Encode(), nil, &requests)
	return requests, err
}

// Now is the time of the server's clock.
func (s *Server) Now(ctx context.Context) (time.Time, error) {
	var clock struct{ Now int64 }
	err := s.call(ctx, http.MethodGet, "/clock", nil, &clock)
	return time.UnixMilli(clock.Now), err
}

// Advance moves the server's clock. Whatever is due by then happens in order.
func (s *Server) Advance(ctx context.Context, by time.Duration) error {
	return s.call(ctx, http.MethodPost, "/clock/advance", map[string]int64{"ms": by.Milliseconds()}, nil)
}

// BreakWatches breaks the open watches that match, and tells how many: "cut", "silent" or "expired".
func (s *Server) BreakWatches(ctx context.Context, kind string, match Match) (int, error) {
	var broken struct{ Count int }
	body := map[string]interface{}{"kind": kind, "match": match}
	err := s.call(ctx, http.MethodPost, "/watches/break", body, &broken)
	return broken.Count, err
}

// Settled returns when the server's own controllers have nothing to do.
func (s *Server) Settled(ctx context.Context) error {
	return s.call(ctx, http.MethodPost, "/settled", nil, nil)
}

// Compact forgets all history: watches and lists of older versions get 410.
func (s *Server) Compact(ctx context.Context) error {
	return s.call(ctx, http.MethodPost, "/compact", nil, nil)
}
