// Everything in facts/ that is made from a checkout, as texts by their file names.
import { flowControlFacts, roleFacts } from './bootstrap.mjs'
import { columnFacts } from './columns.mjs'
import { defaultFacts } from './defaults.mjs'
import { fieldSelectorFacts } from './field-selectors.mjs'
import { gateFacts } from './gates.mjs'
import { Checkout } from './go-packages.mjs'
import { internalTypeFacts } from './internal-types.mjs'
import { metricFacts } from './metrics.mjs'
import { positionFacts } from './positions.mjs'
import { resourceFacts } from './resources.mjs'
import { schemeVersionFacts } from './scheme-versions.mjs'
import { typeTexts } from './types.mjs'

/** `release`: the tag; a checkout knows only its minor release. */
export function makeFacts(folder, release) {
  const checkout = new Checkout(folder)
  const { groups, resources } = resourceFacts(checkout)
  const { texts, names, declared, validation } = typeTexts(checkout, kindsOf(resources))
  const { rules, kinds } = defaultFacts(checkout, { typeNames: names, declared })
  const { priorityLevels, flowSchemas } = flowControlFacts(checkout)
  return new Map([
    ['release.txt', `${checkedRelease(checkout, release)}\n`],
    ['groups.json', rowsText(groups)],
    ['resources.json', rowsText(resources)],
    ...[...texts].map(([name, text]) => [`types/${name}.txt`, text]),
    ['internal-types.txt', internalTypeFacts(checkout)],
    ['defaults.json', sections({ rules, kinds })],
    ['declared-validation.txt', validation],
    ['field-selectors.json', rowsText(fieldSelectorFacts(checkout, resources))],
    ['columns.txt', columnFacts(checkout)],
    ['gates.txt', gateFacts(checkout)],
    ['roles.json', sections(roleFacts(checkout))],
    ['flow-control.json', sections({ priorityLevels, flowSchemas })],
    ['metrics.txt', metricFacts(checkout)],
    ['positions.txt', positionFacts(checkout)],
    ['scheme-versions.txt', schemeVersionFacts(checkout)],
  ])
}

function checkedRelease(checkout, release) {
  const minor = checkout.package('staging/src/k8s.io/component-base/version').consts.get('DefaultKubeBinaryVersion')
  if (release.startsWith(`v${minor.value.value}.`)) return release
  throw new Error(`the checkout is of ${minor.value.value}, not of ${release}`)
}

function kindsOf(resources) {
  return resources.map(({ group, version, kind, kindVersion }) => {
    const [first, second] = (kindVersion ?? '').split('/')
    if (kindVersion === undefined) return { group, version, kind }
    return second === undefined ? { group: '', version: first, kind } : { group: first, version: second, kind }
  })
}

/** JSON with a row a line. */
const rowsText = (rows) => `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`

const sections = (lists) =>
  `{\n${Object.entries(lists)
    .map(([name, rows]) => `${JSON.stringify(name)}: ${rowsText(rows).trim()}`)
    .join(',\n')}\n}\n`
