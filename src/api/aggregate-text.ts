/** The text of several errors: each once, several in brackets. Mirrors k8s.io/apimachinery/pkg/util/errors: aggregate.Error. */
export function aggregateText(texts: readonly string[]): string {
  const distinct = [...new Set(texts)]
  const [only] = distinct
  return only !== undefined && distinct.length === 1 ? only : `[${distinct.join(', ')}]`
}
