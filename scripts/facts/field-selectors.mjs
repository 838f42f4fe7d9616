// The field labels that kinds accept in selectors: the conversion functions of their labels.
import { nameOf } from './go-packages.mjs'
import { statementsOf, walk } from './go-parser.mjs'
import { packageOfVersion } from './types.mjs'

/** Rows `{ group, version, resource, labels, alias? }` for the kinds that have labels of their own. */
export function fieldSelectorFacts(checkout, resources) {
  return resources
    .filter(({ subresource }) => subresource === undefined)
    .flatMap(({ group, version, resource, kind }) => {
      const found = conversionOf(checkout, packageOfVersion(group, version), kind)
      return found === undefined ? [] : [{ group, version, resource, ...found }]
    })
}

function conversionOf(checkout, packageName, kind) {
  const home = checkout.package(`pkg/apis/${packageName.replace('.', '/')}`)
  for (const declared of home?.funcs ?? []) {
    if (!declared.tokens.some(({ text }) => text === 'AddFieldLabelConversionFunc')) continue
    for (const call of walk(statementsOf(declared) ?? [])) {
      if (call.kind !== 'call' || !nameOf(call.of)?.endsWith('.AddFieldLabelConversionFunc')) continue
      if (call.args[0].args?.[0]?.value === kind) return labelsOf(checkout, declared, call.args[1])
    }
  }
  return undefined
}

function labelsOf(checkout, declared, tree) {
  const { file } = declared
  const body = statementsOf(tree)
  const choice = body.find((each) => each.kind === 'switch')
  const labels = []
  const alias = {}
  const outside = choice === undefined ? statementsOf(declared) : []
  const map = [...walk(outside)].find((each) => each.kind === 'composite' && each.type?.kind === 'map')
  for (const [label, to] of Object.entries(map === undefined ? {} : checkout.evaluate(file, map))) {
    labels.push(label)
    if (to !== label) alias[label] = to
  }
  for (const { tests, body } of choice?.cases ?? []) {
    const [to] = body.find((each) => each.kind === 'return')?.values ?? []
    for (const test of tests) {
      const label = checkout.evaluate(file, test)
      labels.push(label)
      if (to.kind !== 'name') alias[label] = checkout.evaluate(file, to)
    }
  }
  return { labels: labels.sort(), ...(Object.keys(alias).length > 0 && { alias }) }
}
