// Made by scripts/catalog.mjs. Do not edit.

/** Where the reference makes its schemes: messages name a scheme by its position. */
export const schemePositions = {
  legacy: 'pkg/api/legacyscheme/scheme.go:30',
  apiextensions: 'k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:55',
  aggregator: 'k8s.io/kube-aggregator/pkg/apiserver/scheme/scheme.go:28',
  internalversion: 'k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27',
  client: 'k8s.io/client-go/kubernetes/scheme/register.go:84',
  webhook: 'k8s.io/apiserver/pkg/util/webhook/client.go:71',
  customResource: 'k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go:725',
}
