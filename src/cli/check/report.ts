/** The outcome of a check, as people and as tools of continuous integration read it. */

import packageJson from '../../../package.json' with { type: 'json' }
import { escapeXml } from '../../lib/escape-xml.ts'
import type { CheckedObject, CheckFinding, Severity } from './findings.ts'
import { ruleOf } from './rules.ts'

export const formats: Readonly<Record<string, (objects: readonly CheckedObject[]) => string>> = {
  text,
  json: (objects) => `${JSON.stringify({ ...findingCounts(objects), objects }, undefined, 2)}\n`,
  junit,
  sarif,
}

interface Counts {
  readonly files: number
  readonly errors: number
  readonly warnings: number
}

export function findingCounts(objects: readonly CheckedObject[]): Counts {
  const count = (severity: Severity): number =>
    objects.reduce((sum, { findings }) => sum + findings.filter((each) => each.severity === severity).length, 0)
  return { files: new Set(objects.map(({ file }) => file)).size, errors: count('error'), warnings: count('warning') }
}

const title = ({ kind, name, apiVersion }: CheckedObject): string =>
  kind === '' ? 'a document' : `${kind} ${name} (${apiVersion})`

const sentence = ({ field, message }: CheckFinding): string => (field === undefined ? message : `${field}: ${message}`)

function text(objects: readonly CheckedObject[]): string {
  const lines = objects.flatMap((object) =>
    object.findings.map(
      (each) =>
        `${object.file}:${each.line}: ${each.severity}: ${object.kind === '' ? '' : `${object.kind} ${object.name}: `}${sentence(each)} [${each.rule}]\n`,
    ),
  )
  const { files, errors, warnings } = findingCounts(objects)
  const summary = `${many(objects.length, 'object')} in ${many(files, 'file')}: ${many(errors, 'error')}, ${many(warnings, 'warning')}\n`
  return lines.join('') + summary
}

const many = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

/** One suite a file, one case an object; warnings are no failures. */
function junit(objects: readonly CheckedObject[]): string {
  const byFile = new Map<string, CheckedObject[]>()
  for (const object of objects) byFile.set(object.file, [...(byFile.get(object.file) ?? []), object])
  const total = `tests="${objects.length}" failures="${failed(objects)}"`
  const suites = [...byFile].map(
    ([file, own]) =>
      `  <testsuite name="${escapeXml(file)}" tests="${own.length}" failures="${failed(own)}">\n${own.map(testCase).join('')}  </testsuite>\n`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="pilothouse check" ${total}>\n${suites.join('')}</testsuites>\n`
}

const failed = (objects: readonly CheckedObject[]): number =>
  objects.filter(({ findings }) => findings.some(({ severity }) => severity === 'error')).length

function testCase(object: CheckedObject): string {
  const of = (severity: Severity): CheckFinding[] => object.findings.filter((each) => each.severity === severity)
  const lines = (list: readonly CheckFinding[]): string =>
    list.map((each) => `${object.file}:${each.line}: ${sentence(each)} [${each.rule}]`).join('\n')
  const [first] = of('error')
  const failure =
    first === undefined
      ? ''
      : `      <failure type="${escapeXml(first.rule)}" message="${escapeXml(sentence(first))}">${escapeXml(lines(of('error')))}</failure>\n`
  const warnings = of('warning')
  const output = warnings.length === 0 ? '' : `      <system-out>${escapeXml(lines(warnings))}</system-out>\n`
  const place = `classname="${escapeXml(object.file)}" file="${escapeXml(object.file)}" line="${object.line}"`
  return `    <testcase name="${escapeXml(title(object))}" ${place}>\n${failure}${output}    </testcase>\n`
}

function sarifRule(id: string): object {
  const { about, help } = ruleOf(id)
  const name = /^[A-Za-z]\w*$/.test(id) ? { name: id } : {}
  return {
    id,
    ...name,
    shortDescription: { text: about },
    fullDescription: { text: `${about}.` },
    help: { text: help },
  }
}

/** SARIF 2.1.0, as code scanning takes it. */
function sarif(objects: readonly CheckedObject[]): string {
  const all = objects.flatMap((object) => object.findings.map((finding) => ({ object, finding })))
  const rules = [...new Set(all.map(({ finding }) => finding.rule))].sort()
  const results = all.map(({ object, finding }) => ({
    ruleId: finding.rule,
    ruleIndex: rules.indexOf(finding.rule),
    level: finding.severity,
    message: { text: `${title(object)}: ${sentence(finding)}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: object.file.split('\\').join('/').split('/').map(encodeURIComponent).join('/') },
          region: { startLine: finding.line },
        },
        logicalLocations: [{ fullyQualifiedName: title(object) }],
      },
    ],
  }))
  const driver = { name: 'pilothouse check', version: packageJson.version, rules: rules.map(sarifRule) }
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, results }],
  }
  return `${JSON.stringify(log, undefined, 2)}\n`
}
