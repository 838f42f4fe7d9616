// Package pilothouse starts a throw-away cluster API server for tests: a real one, in memory, that can be put back, forked and broken on
// purpose. It needs the program pilothouse (npm install pilothouse-apiserver, or the single executable) and nothing but Go's standard library.
//
//	server, err := pilothouse.Start(ctx, pilothouse.Options{})
//	defer server.Stop()
//	config, err := clientcmd.RESTConfigFromKubeConfig(server.KubeConfig)
package pilothouse

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Options of a server. The zero value is a good one.
type Options struct {
	// Command is how the program is called. Otherwise PILOTHOUSE names it, or it is looked for in node_modules/.bin and on the PATH.
	Command []string
	// Flags are those of kube-apiserver, such as "--feature-gates=…".
	Flags []string
	// Simulate runs workload controllers, a scheduler and nodes without containers: "true", or settings such as
	// "nodes=3,seed=7". Empty: nothing runs pods.
	Simulate string
	// Stderr is where mistakes of the start are written, in addition to the error of Start.
	Stderr io.Writer
	// StartTimeout bounds the start; 30 seconds unless given.
	StartTimeout time.Duration
}

// Server is a running server, or a fork of one.
type Server struct {
	URL          string `json:"url"`
	Token        string `json:"token"`
	KubeConfig   []byte `json:"-"`
	TestEndpoint string `json:"testEndpoint"`

	process *exec.Cmd
	stdin   io.Closer
}

// Start starts a server and returns when it is ready. It ends with Stop, or when this process does.
func Start(ctx context.Context, options Options) (*Server, error) {
	command, err := commandOf(options)
	if err != nil {
		return nil, err
	}
	args := append(command[1:], "test", "--json", "--test-endpoint=127.0.0.1:0")
	if options.Simulate != "" {
		args = append(args, "--simulate="+options.Simulate)
	}
	process := exec.Command(command[0], append(args, options.Flags...)...)
	var said bytes.Buffer
	process.Stderr = &said
	if options.Stderr != nil {
		process.Stderr = io.MultiWriter(&said, options.Stderr)
	}
	stdin, err := process.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, fmt.Errorf("pilothouse cannot be started: %w", err)
	}
	server := &Server{process: process, stdin: stdin}
	if err := server.readDescription(ctx, stdout, options.StartTimeout); err != nil {
		_ = process.Process.Kill()
		_ = process.Wait()
		if text := strings.TrimSpace(said.String()); text != "" {
			err = errors.New(text)
		}
		return nil, fmt.Errorf("pilothouse did not start: %w", err)
	}
	return server, nil
}

func commandOf(options Options) ([]string, error) {
	if len(options.Command) > 0 {
		return append([]string(nil), options.Command...), nil
	}
	if given := os.Getenv("PILOTHOUSE"); given != "" {
		return strings.Fields(given), nil
	}
	for _, name := range []string{"node_modules/.bin/pilothouse", "pilothouse"} {
		if path, err := exec.LookPath(name); err == nil {
			return []string{path}, nil
		}
	}
	return nil, errors.New("there is no pilothouse on the PATH: npm install pilothouse-apiserver, or set PILOTHOUSE to the program")
}

func (s *Server) readDescription(ctx context.Context, stdout io.Reader, timeout time.Duration) error {
	if timeout == 0 {
		timeout = 30 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	read := make(chan error, 1)
	go func() {
		reader := bufio.NewReader(stdout)
		line, err := reader.ReadBytes('\n')
		if err == nil {
			err = s.describe(line)
		}
		read <- err
		_, _ = io.Copy(io.Discard, reader)
	}()
	select {
	case err := <-read:
		return err
	case <-ctx.Done():
		return fmt.Errorf("it was not ready in time: %w", ctx.Err())
	}
}

func (s *Server) describe(data []byte) error {
	var description struct {
		URL, Token, KubeConfig, TestEndpoint string
	}
	if err := json.Unmarshal(data, &description); err != nil {
		return err
	}
	s.URL, s.Token, s.TestEndpoint = description.URL, description.Token, description.TestEndpoint
	s.KubeConfig = []byte(description.KubeConfig)
	return nil
}

// Stop ends the server, or the fork, and everything in it.
func (s *Server) Stop() error {
	if s.process == nil {
		return s.call(context.Background(), http.MethodDelete, "/", nil, nil)
	}
	_ = s.stdin.Close()
	return s.process.Wait()
}

// Error is what the server refused.
type Error struct {
	Code    int
	Message string
	// Status is the Status object of the API, if there was one.
	Status json.RawMessage
}

func (e *Error) Error() string { return e.Message }

// call sends a body, which is JSON unless it is bytes already, and reads the answer into result unless that is nil.
func (s *Server) call(ctx context.Context, method, path string, body, result interface{}) error {
	content, ok := body.([]byte)
	if !ok && body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, s.TestEndpoint+path, bytes.NewReader(content))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 400 {
		refused := struct {
			Error  string          `json:"error"`
			Status json.RawMessage `json:"status"`
		}{Error: string(answer)}
		_ = json.Unmarshal(answer, &refused)
		return &Error{Code: response.StatusCode, Message: refused.Error, Status: refused.Status}
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer, result)
}
