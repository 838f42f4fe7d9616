module github.com/pilothouse-apiserver/pilothouse-apiserver/clients/go/envtest

go 1.24

require (
	github.com/pilothouse-apiserver/pilothouse-apiserver/clients/go v0.1.0
	k8s.io/api v0.33.0
	k8s.io/apimachinery v0.33.0
	k8s.io/client-go v0.33.0
)

replace github.com/pilothouse-apiserver/pilothouse-apiserver/clients/go => ../
