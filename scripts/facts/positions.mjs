// Places in upstream's source that its error messages show: a scheme is named after the line that made it.
const schemes = {
  legacy: 'pkg/api/legacyscheme/scheme.go',
  apiextensions: 'staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go',
  aggregator: 'staging/src/k8s.io/kube-aggregator/pkg/apiserver/scheme/scheme.go',
  internalversion: 'staging/src/k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go',
  client: 'staging/src/k8s.io/client-go/kubernetes/scheme/register.go',
  webhook: 'staging/src/k8s.io/apiserver/pkg/util/webhook/client.go',
  customResource: 'staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go',
}

/** Lines `name position`. */
export function positionFacts(checkout) {
  const lines = Object.entries(schemes).map(([name, file]) => {
    const text = checkout.read(file).split('\n')
    const line = text.findIndex((each) => each.includes('runtime.NewScheme()')) + 1
    if (line === 0) throw new Error(`${file} makes no scheme`)
    return `${name} ${file.replace(/^staging\/src\//, '')}:${line}`
  })
  return `${lines.join('\n')}\n`
}
