/** The way to one server as a kubeconfig file tells it: for webhooks and other backends of tests. */
export function kubeconfigFor(
  cluster: { readonly server: string } & Record<string, unknown>,
  user: object = {},
): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  })
}
