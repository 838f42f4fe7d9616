// Package envtest has an Environment in place of controller-runtime's: another import, and the same suite runs on Pilothouse, in memory, with
// what envtest cannot do: Reset between two tests in milliseconds, Fork, faults and a clock, all of which are in the embedded Server.
//
//	env := &envtest.Environment{CRDDirectoryPaths: []string{"config/crd/bases"}}
//	config, err := env.Start()
//	defer env.Stop()
package envtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	pilothouse "github.com/pilothouse-apiserver/pilothouse-apiserver/clients/go"
)

// installed names the state after Start: what Reset goes back to.
const installed = "installed"

// Environment is a control plane for tests. The fields have the names and the meaning that they have in controller-runtime.
type Environment struct {
	// Server is there after Start.
	*pilothouse.Server

	// Config and KubeConfig are of an administrator, after Start.
	Config     *rest.Config
	KubeConfig []byte

	// CRDDirectoryPaths are files and folders with definitions, which are installed and waited for.
	CRDDirectoryPaths []string
	// ErrorIfCRDPathMissing makes a path that is not there an error.
	ErrorIfCRDPathMissing bool
	// Manifests are further files and folders that are applied after the definitions.
	Manifests []string
	// ControlPlaneStartTimeout bounds the start.
	ControlPlaneStartTimeout time.Duration

	// Options are those of the server.
	Options pilothouse.Options
}

// User is somebody to make requests as.
type User struct {
	Name   string
	Groups []string
}

// AuthenticatedUser has a configuration of their own.
type AuthenticatedUser struct {
	config     *rest.Config
	kubeConfig []byte
}

// Config is the user's.
func (u *AuthenticatedUser) Config() *rest.Config { return rest.CopyConfig(u.config) }

// KubeConfig is the user's, as a file.
func (u *AuthenticatedUser) KubeConfig() ([]byte, error) { return u.kubeConfig, nil }

// Start starts the server and installs the definitions.
func (e *Environment) Start() (*rest.Config, error) {
	ctx := context.Background()
	options := e.Options
	if options.StartTimeout == 0 {
		options.StartTimeout = e.ControlPlaneStartTimeout
	}
	server, err := pilothouse.Start(ctx, options)
	if err != nil {
		return nil, err
	}
	e.Server = server
	if err := e.prepare(ctx); err != nil {
		return nil, errors.Join(err, server.Stop())
	}
	return e.Config, nil
}

func (e *Environment) prepare(ctx context.Context) error {
	config, err := configOf(e.Server.KubeConfig)
	if err != nil {
		return err
	}
	e.Config, e.KubeConfig = config, e.Server.KubeConfig
	for _, path := range e.CRDDirectoryPaths {
		if _, err := os.Stat(path); os.IsNotExist(err) && !e.ErrorIfCRDPathMissing {
			continue
		}
		if err := e.ApplyFiles(ctx, path); err != nil {
			return fmt.Errorf("unable to install CRDs onto control plane: %w", err)
		}
	}
	if err := e.ApplyFiles(ctx, e.Manifests...); err != nil {
		return err
	}
	return e.Snapshot(ctx, installed)
}

// Reset goes back to the state after Start, with the definitions.
func (e *Environment) Reset(ctx context.Context) error { return e.ResetTo(ctx, installed) }

// Stop ends the server.
func (e *Environment) Stop() error {
	if e.Server == nil {
		return nil
	}
	return e.Server.Stop()
}

// AddUser makes a user; base has settings for their configuration, such as QPS.
func (e *Environment) AddUser(user User, base *rest.Config) (*AuthenticatedUser, error) {
	added, err := e.Server.AddUser(context.Background(), user.Name, user.Groups...)
	if err != nil {
		return nil, err
	}
	config, err := configOf(added.KubeConfig)
	if err != nil {
		return nil, err
	}
	if base != nil {
		own := config
		config = rest.CopyConfig(base)
		config.Host, config.BearerToken, config.TLSClientConfig = own.Host, own.BearerToken, own.TLSClientConfig
	}
	return &AuthenticatedUser{config: config, kubeConfig: added.KubeConfig}, nil
}

// configOf has no limits of its own: tests cannot overwhelm a server of theirs, as in controller-runtime.
func configOf(kubeConfig []byte) (*rest.Config, error) {
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeConfig)
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 1000, 2000
	return config, nil
}
