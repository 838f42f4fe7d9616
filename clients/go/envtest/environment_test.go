package envtest

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	registrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
)

const definitions = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.sea.example.com}
spec:
  group: sea.example.com
  scope: Namespaced
  names: {plural: boats, singular: boat, kind: Boat}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: beside, namespace: default}
`

const webhooks = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: no-secrets}
webhooks:
- name: secrets.example.com
  sideEffects: None
  admissionReviewVersions: [v1]
  clientConfig: {service: {name: webhook-service, namespace: system, path: /validate}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [secrets]}]
`

func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func start(t *testing.T, env *Environment) kubernetes.Interface {
	t.Helper()
	// A busy machine is no failure.
	env.ControlPlaneStartTimeout = 5 * time.Minute
	config, err := env.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := env.Stop(); err != nil {
			t.Error(err)
		}
	})
	return kubernetes.NewForConfigOrDie(config)
}

func TestDefinitions(t *testing.T) {
	ctx := context.Background()
	more := map[string]interface{}{
		"metadata": map[string]string{"name": "oars.sea.example.com"},
		"spec": map[string]interface{}{
			"group": "sea.example.com", "scope": "Cluster",
			"names":    map[string]string{"plural": "oars", "singular": "oar", "kind": "Oar"},
			"versions": []interface{}{map[string]interface{}{"name": "v1", "served": true, "storage": true, "schema": map[string]interface{}{"openAPIV3Schema": map[string]string{"type": "object"}}}},
		},
	}
	env := &Environment{
		CRDDirectoryPaths: []string{filepath.Dir(write(t, "boats.yaml", definitions)), "nowhere"},
		CRDs:              []interface{}{more},
	}
	client := start(t, env)
	objects := dynamic.NewForConfigOrDie(env.Config)
	for _, resource := range []string{"boats", "oars"} {
		of := schema.GroupVersionResource{Group: "sea.example.com", Version: "v1", Resource: resource}
		if _, err := objects.Resource(of).List(ctx, metav1.ListOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	// What lies beside the definitions is not installed, as in controller-runtime.
	if _, err := client.CoreV1().ConfigMaps("default").Get(ctx, "beside", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Fatalf("a config map was installed: %v", err)
	}
	if _, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "short"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := env.Reset(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Namespaces().Get(ctx, "short", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Fatalf("it is there after a reset: %v", err)
	}
	user, err := env.AddUser(User{Name: "ann", Groups: []string{"sailors"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = kubernetes.NewForConfigOrDie(user.Config()).CoreV1().Secrets("default").List(ctx, metav1.ListOptions{})
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), `"ann"`) {
		t.Fatalf("a user without rights: %v", err)
	}
}

func TestMissingPath(t *testing.T) {
	env := &Environment{CRDDirectoryPaths: []string{"nowhere"}, ErrorIfCRDPathMissing: true, ControlPlaneStartTimeout: 5 * time.Minute}
	if _, err := env.Start(); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Fatalf("a missing path: %v", err)
	}
}

func TestWebhooks(t *testing.T) {
	ctx := context.Background()
	path := "validate"
	none := registrationv1.SideEffectClassNone
	env := &Environment{WebhookInstallOptions: WebhookInstallOptions{
		Paths: []string{write(t, "webhooks.yaml", webhooks)},
		ValidatingWebhooks: []*registrationv1.ValidatingWebhookConfiguration{{
			ObjectMeta: metav1.ObjectMeta{Name: "no-config-maps"},
			Webhooks: []registrationv1.ValidatingWebhook{{
				Name: "config-maps.example.com", SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
				ClientConfig: registrationv1.WebhookClientConfig{Service: &registrationv1.ServiceReference{Name: "s", Namespace: "n", Path: &path}},
				Rules: []registrationv1.RuleWithOperations{{
					Operations: []registrationv1.OperationType{registrationv1.Create},
					Rule:       registrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
				}},
			}},
		}},
	}}
	client := start(t, env)
	serve(t, env.WebhookInstallOptions)
	if _, err := client.CoreV1().Secrets("default").Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}}, metav1.CreateOptions{}); err == nil || !strings.Contains(err.Error(), "no secrets today") {
		t.Fatalf("the webhook of a file was not asked: %v", err)
	}
	if _, err := client.CoreV1().ConfigMaps("default").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c"}}, metav1.CreateOptions{}); err == nil || !strings.Contains(err.Error(), "no configmaps today") {
		t.Fatalf("the webhook of an object was not asked: %v", err)
	}
}

// serve refuses everything.
func serve(t *testing.T, options WebhookInstallOptions) {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(filepath.Join(options.LocalServingCertDir, "tls.crt"), filepath.Join(options.LocalServingCertDir, "tls.key"))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := tls.Listen("tcp", fmt.Sprintf("%s:%d", options.LocalServingHost, options.LocalServingPort), &tls.Config{Certificates: []tls.Certificate{pair}})
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(request.Body).Decode(&review); err != nil || request.URL.Path != "/validate" {
			http.Error(response, "no review", http.StatusBadRequest)
			return
		}
		said := metav1.Status{Message: "no " + review.Request.Resource.Resource + " today"}
		review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Result: &said}
		review.Request = nil
		_ = json.NewEncoder(response).Encode(review)
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
}
