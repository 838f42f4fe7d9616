// The feature gates: each stage of a gate's life with the release that began it.
import { statementsOf, walk } from './go-parser.mjs'

const homes = [
  'pkg/features',
  'staging/src/k8s.io/apiserver/pkg/features',
  'staging/src/k8s.io/apiextensions-apiserver/pkg/features',
  'staging/src/k8s.io/client-go/features',
  'staging/src/k8s.io/component-base/logs/api/v1',
  'staging/src/k8s.io/component-base/metrics/features',
  'staging/src/k8s.io/component-base/zpages/features',
  'staging/src/k8s.io/component-base/featuregate',
  'staging/src/k8s.io/controller-manager/pkg/features',
  'staging/src/k8s.io/cloud-provider/features',
]
const stages = { Alpha: 'alpha', Beta: 'beta', GA: 'ga', Deprecated: 'deprecated', PreAlpha: 'prealpha' }

/** Lines `Name release:stage…`, `+` on by default, `!` locked. */
export function gateFacts(checkout) {
  const gates = new Map()
  for (const folder of homes) {
    const home = checkout.package(folder)
    for (const { value, file } of home?.vars.values() ?? []) {
      if (value?.kind === 'composite') addAll(checkout, gates, { file, value })
    }
    for (const declared of home?.funcs ?? []) {
      for (const value of walk(statementsOf(declared) ?? [])) {
        if (value.kind === 'composite') addAll(checkout, gates, { file: declared.file, value })
      }
    }
  }
  return `${[...gates.keys()]
    .sort()
    .map((name) => [name, ...gates.get(name)].join(' '))
    .join('\n')}\n`
}

function addAll(checkout, gates, { file, value }) {
  if (!/Feature$/.test(value.type?.key?.name ?? '') || !/Specs?$/.test(value.type.value.name ?? '')) return
  for (const { key, value: specs } of value.items) {
    const name = checkout.evaluate(file, key)
    if (name === undefined || name === 'AllAlpha' || name === 'AllBeta' || specs.kind !== 'composite') continue
    const list = specs.items.every((each) => each.key === undefined) ? specs.items.map((each) => each.value) : [specs]
    gates.set(
      name,
      list.map((spec) => stageText(checkout, file, spec)),
    )
  }
}

function stageText(checkout, file, { items }) {
  const spec = new Map(items.map(({ key, value }) => [key.name, value]))
  const release = spec.get('Version')?.args?.[0]?.value ?? '1.0'
  const named = spec.get('PreRelease')
  const stage = stages[(named?.kind === 'select' ? named.name : named?.name) ?? 'GA']
  const on = checkout.evaluate(file, spec.get('Default')) === true ? '+' : ''
  const locked = checkout.evaluate(file, spec.get('LockToDefault')) === true ? '!' : ''
  return `${release}:${stage}${on}${locked}`
}
