package envtest

import (
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/client-go/util/cert"
)

// WebhookInstallOptions say which webhooks are installed, and where this process serves them: after Start, LocalServingHost,
// LocalServingPort and LocalServingCertDir (with tls.crt and tls.key) are what a webhook server is to be made with. The fields have the
// names and the meaning that they have in controller-runtime.
type WebhookInstallOptions struct {
	// Paths are files and folders with configurations.
	Paths []string
	// MutatingWebhooks and ValidatingWebhooks are further configurations.
	MutatingWebhooks   []*admissionv1.MutatingWebhookConfiguration
	ValidatingWebhooks []*admissionv1.ValidatingWebhookConfiguration
	// IgnoreErrorIfPathMissing passes over paths that are not there.
	IgnoreErrorIfPathMissing bool

	// LocalServingHost and LocalServingPort are where the webhooks listen; 127.0.0.1 and a free port unless given.
	LocalServingHost string
	LocalServingPort int
	// LocalServingHostExternalName is the name by which the server reaches them, if it is another one.
	LocalServingHostExternalName string
	// LocalServingCertDir has the key pair of the webhooks; made, and removed by Stop, unless given.
	LocalServingCertDir string
	// LocalServingCAData is the authority, in PEM, that the server trusts them by.
	LocalServingCAData []byte

	// MaxTime and PollInterval are not needed: what is installed is served at once.
	MaxTime      time.Duration
	PollInterval time.Duration

	isFolderOurs bool
}

func (o *WebhookInstallOptions) isWanted() bool {
	return len(o.Paths)+len(o.MutatingWebhooks)+len(o.ValidatingWebhooks) > 0 || o.LocalServingCertDir != "" || o.LocalServingPort != 0
}

// PrepWithoutInstalling chooses host and port and makes the key pair, for configurations that are installed by other means.
func (o *WebhookInstallOptions) PrepWithoutInstalling() error {
	if o.LocalServingHost == "" {
		o.LocalServingHost = "127.0.0.1"
	}
	if o.LocalServingPort == 0 {
		port, err := freePort(o.LocalServingHost)
		if err != nil {
			return err
		}
		o.LocalServingPort = port
	}
	if o.LocalServingCAData != nil {
		return nil
	}
	return o.makeKeyPair()
}

// Cleanup removes the key pair that was made.
func (o *WebhookInstallOptions) Cleanup() error {
	if !o.isFolderOurs {
		return nil
	}
	folder := o.LocalServingCertDir
	o.isFolderOurs, o.LocalServingCertDir, o.LocalServingCAData = false, "", nil
	return os.RemoveAll(folder)
}

func (o *WebhookInstallOptions) makeKeyPair() error {
	names := []string{o.LocalServingHost}
	if o.LocalServingHostExternalName != "" {
		names = append(names, o.LocalServingHostExternalName)
	}
	chain, key, err := cert.GenerateSelfSignedCertKey(names[0], nil, names)
	if err != nil {
		return fmt.Errorf("no key pair for webhooks: %w", err)
	}
	if o.LocalServingCertDir == "" {
		if o.LocalServingCertDir, err = os.MkdirTemp("", "pilothouse-webhooks-"); err != nil {
			return err
		}
		o.isFolderOurs = true
	}
	// The chain is the webhooks' certificate and the authority that signed it.
	_, authority := pem.Decode(chain)
	o.LocalServingCAData = authority
	return errors.Join(
		os.WriteFile(filepath.Join(o.LocalServingCertDir, "tls.crt"), chain, 0o600),
		os.WriteFile(filepath.Join(o.LocalServingCertDir, "tls.key"), key, 0o600),
	)
}

func freePort(host string) (int, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return 0, fmt.Errorf("no port for webhooks: %w", err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

// urlOf is where a webhook with this path is served here.
func (o *WebhookInstallOptions) urlOf(path string) string {
	host := o.LocalServingHostExternalName
	if host == "" {
		host = o.LocalServingHost
	}
	return "https://" + net.JoinHostPort(host, strconv.Itoa(o.LocalServingPort)) + "/" + strings.TrimPrefix(path, "/")
}
