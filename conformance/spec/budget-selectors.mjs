// A disruption budget with an empty selector holds for every pod of its namespace, one without a selector for none, as evictions show.
export default async (t) => {
  const ns = await t.namespace()
  const base = `/api/v1/namespaces/${ns}`
  const budgets = `/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets`
  const budget = async (name, spec) => {
    await t.post(
      budgets,
      { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name }, spec: { minAvailable: 1, ...spec } },
      { pick: (b) => (b.kind === 'Status' ? b : b.spec) },
    )
    // Nothing may be disrupted: one pod is expected and one is there.
    await t.mergePatch(
      `${budgets}/${name}/status`,
      {
        status: { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
      },
      { quiet: true },
    )
  }
  const pod = async (name, labels) => {
    await t.post(
      `${base}/pods`,
      { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      { quiet: true },
    )
    await t.mergePatch(
      `${base}/pods/${name}/status`,
      { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
      { quiet: true },
    )
  }
  const evict = (name) =>
    t.post(
      `${base}/pods/${name}/eviction?dryRun=All`,
      { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } },
      {
        pick: (b) =>
          b.code
            ? { code: b.code, reason: b.reason, message: b.message, causes: b.details?.causes }
            : { status: b.status },
      },
    )
  await pod('labelled', { app: 'x' })
  await pod('plain')
  await evict('labelled')
  await budget('none')
  await evict('labelled')
  await evict('plain')
  await budget('some', { selector: { matchLabels: { app: 'x' } } })
  await evict('labelled')
  await evict('plain')
  await t.delete(`${budgets}/some`, undefined, { quiet: true })
  await budget('all', { selector: {} })
  await evict('labelled')
  await evict('plain')
  await budget('both', { selector: { matchExpressions: [] } })
  await evict('plain')
}
