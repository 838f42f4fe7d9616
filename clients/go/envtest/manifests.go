package envtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/util/yaml"

	pilothouse "github.com/pilothouse-apiserver/pilothouse-apiserver/clients/go"
)

type object = map[string]interface{}

// readObjects reads all documents of files, and of the *.yaml, *.yml and *.json of folders. Folders are not searched further down.
func readObjects(paths []string, passesOverMissing bool) ([]object, error) {
	var all []object
	for _, path := range paths {
		files, err := pilothouse.ManifestFiles(path)
		if errors.Is(err, os.ErrNotExist) && passesOverMissing {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			found, err := readDocuments(file)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			all = append(all, found...)
		}
	}
	return all, nil
}

func readDocuments(file string) ([]object, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []object
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		var one object
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		if len(one) > 0 {
			all = append(all, one)
		}
	}
}

// objectsOf makes plain objects of typed ones, or of a list of them.
func objectsOf(apiVersion, kind string, typed interface{}) ([]object, error) {
	if typed == nil {
		return nil, nil
	}
	text, err := json.Marshal(typed)
	if err != nil {
		return nil, err
	}
	var all []object
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("a list of %s is wanted, not %T: %w", kind, typed, err)
	}
	for _, each := range all {
		each["apiVersion"], each["kind"] = apiVersion, kind
		delete(each, "status")
	}
	return all, nil
}

func onlyKinds(all []object, kinds ...string) []object {
	var some []object
	for _, each := range all {
		for _, kind := range kinds {
			if each["kind"] == kind {
				some = append(some, each)
			}
		}
	}
	return some
}

// pointHere rewrites where webhooks are: from a service of a cluster, which there is none of, to this process.
func (o *WebhookInstallOptions) pointHere(all []object) {
	for _, each := range all {
		webhooks, _ := each["webhooks"].([]interface{})
		for _, webhook := range webhooks {
			if webhook, ok := webhook.(object); ok {
				o.rewrite(webhook)
			}
		}
		spec, _ := each["spec"].(object)
		conversion, _ := spec["conversion"].(object)
		if webhook, ok := conversion["webhook"].(object); ok {
			o.rewrite(webhook)
		}
	}
}

func (o *WebhookInstallOptions) rewrite(webhook object) {
	config, _ := webhook["clientConfig"].(object)
	service, ok := config["service"].(object)
	if !ok {
		return
	}
	path, _ := service["path"].(string)
	webhook["clientConfig"] = object{
		"url":      o.urlOf(path),
		"caBundle": base64.StdEncoding.EncodeToString(o.LocalServingCAData),
	}
}

func manifestOf(all []object) ([]byte, error) {
	return json.Marshal(object{"apiVersion": "v1", "kind": "List", "items": all})
}
