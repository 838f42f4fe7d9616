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

	"k8s.io/apimachinery/pkg/runtime"
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
	// CRDs are further definitions: a list of them, such as []*apiextensionsv1.CustomResourceDefinition.
	CRDs interface{}
	// ErrorIfCRDPathMissing makes a path that is not there an error.
	ErrorIfCRDPathMissing bool
	// CRDInstallOptions are the same once more, as controller-runtime has them.
	CRDInstallOptions CRDInstallOptions
	// WebhookInstallOptions are webhooks that this process serves.
	WebhookInstallOptions WebhookInstallOptions
	// Manifests are further files and folders that are applied after the definitions.
	Manifests []string

	// Scheme and BinaryAssetsDirectory have no meaning here; suites that set them compile.
	Scheme                *runtime.Scheme
	BinaryAssetsDirectory string
	// AttachControlPlaneOutput shows what the server says.
	AttachControlPlaneOutput bool
	// ControlPlaneStartTimeout bounds the start.
	ControlPlaneStartTimeout time.Duration
	// ControlPlaneStopTimeout has no meaning here: the server ends at once.
	ControlPlaneStopTimeout time.Duration

	// Options are those of the server.
	Options pilothouse.Options
}

// CRDInstallOptions say which definitions are installed.
type CRDInstallOptions struct {
	Scheme             *runtime.Scheme
	Paths              []string
	CRDs               interface{}
	ErrorIfPathMissing bool
	// MaxTime, PollInterval and CleanUpAfterUse are not needed: definitions are served when Start returns, and end with the server.
	MaxTime         time.Duration
	PollInterval    time.Duration
	CleanUpAfterUse bool
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

// Start starts the server and installs definitions and webhooks.
func (e *Environment) Start() (*rest.Config, error) {
	ctx := context.Background()
	options := e.Options
	if options.StartTimeout == 0 {
		options.StartTimeout = e.ControlPlaneStartTimeout
	}
	if options.Stderr == nil && e.AttachControlPlaneOutput {
		options.Stderr = os.Stderr
	}
	server, err := pilothouse.Start(ctx, options)
	if err != nil {
		return nil, err
	}
	e.Server = server
	if err := e.prepare(ctx); err != nil {
		return nil, errors.Join(err, e.Stop())
	}
	return e.Config, nil
}

func (e *Environment) prepare(ctx context.Context) error {
	config, err := configOf(e.Server.KubeConfig)
	if err != nil {
		return err
	}
	e.Config, e.KubeConfig = config, e.Server.KubeConfig
	if e.WebhookInstallOptions.isWanted() {
		if err := e.WebhookInstallOptions.PrepWithoutInstalling(); err != nil {
			return err
		}
	}
	if err := e.installDefinitions(ctx); err != nil {
		return fmt.Errorf("unable to install CRDs onto control plane: %w", err)
	}
	if err := e.ApplyFiles(ctx, e.Manifests...); err != nil {
		return err
	}
	if err := e.installWebhooks(ctx); err != nil {
		return fmt.Errorf("unable to install webhooks onto control plane: %w", err)
	}
	return e.Snapshot(ctx, installed)
}

func (e *Environment) installDefinitions(ctx context.Context) error {
	more := e.CRDInstallOptions
	paths := append(append([]string(nil), e.CRDDirectoryPaths...), more.Paths...)
	passesOverMissing := !e.ErrorIfCRDPathMissing && !more.ErrorIfPathMissing
	all, err := readObjects(paths, passesOverMissing)
	if err != nil {
		return err
	}
	all = onlyKinds(all, "CustomResourceDefinition")
	for _, typed := range []interface{}{e.CRDs, more.CRDs} {
		objects, err := objectsOf("apiextensions.k8s.io/v1", "CustomResourceDefinition", typed)
		if err != nil {
			return err
		}
		all = append(all, objects...)
	}
	return e.install(ctx, all)
}

func (e *Environment) installWebhooks(ctx context.Context) error {
	options := &e.WebhookInstallOptions
	all, err := readObjects(options.Paths, options.IgnoreErrorIfPathMissing)
	if err != nil {
		return err
	}
	all = onlyKinds(all, "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
	const version = "admissionregistration.k8s.io/v1"
	mutating, err := objectsOf(version, "MutatingWebhookConfiguration", options.MutatingWebhooks)
	if err != nil {
		return err
	}
	validating, err := objectsOf(version, "ValidatingWebhookConfiguration", options.ValidatingWebhooks)
	if err != nil {
		return err
	}
	return e.install(ctx, append(append(all, mutating...), validating...))
}

func (e *Environment) install(ctx context.Context, all []object) error {
	if len(all) == 0 {
		return nil
	}
	if e.WebhookInstallOptions.LocalServingCAData != nil {
		e.WebhookInstallOptions.pointHere(all)
	}
	manifest, err := manifestOf(all)
	if err != nil {
		return err
	}
	return e.Apply(ctx, manifest)
}

// Reset goes back to the state after Start, with the definitions.
func (e *Environment) Reset(ctx context.Context) error { return e.ResetTo(ctx, installed) }

// Stop ends the server.
func (e *Environment) Stop() error {
	cleaned := e.WebhookInstallOptions.Cleanup()
	if e.Server == nil {
		return cleaned
	}
	return errors.Join(cleaned, e.Server.Stop())
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
