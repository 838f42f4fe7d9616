/**
 * Sends objects through the whole server, in this process, without keeping them: decoding, defaults, pruning, admission,
 * validation. Only what other objects need to be judged (definitions, namespaces, classes, policies) is kept.
 */
import { parseGroupVersion } from '../../api/group-version.ts'
import type { JsonObject } from '../../api/json.ts'
import { ConfigError } from '../../config/config-error.ts'
import type { ApiObject } from '../../testing/api/objects.ts'
import type { RunningTestServer } from '../../testing/running-test-server.ts'
import { describeState, lintObject } from '../lint.ts'
import { type FoundDocument, type FoundObject, fileObjects, shownName } from '../object-files.ts'
import { FieldLines } from './field-lines.ts'
import {
  type CheckedObject,
  type CheckFinding,
  type CheckProblem,
  isStrictDecoding,
  problemOfDenial,
  problemOfSyntax,
  problemOfWarning,
  problemsOf,
} from './findings.ts'
import { nearFields } from './near-field.ts'

export interface CheckSettings {
  /** For objects that name none. */
  readonly namespace: string
  /** Unknown kinds are warnings. */
  readonly skipUnknown: boolean
}

interface Resource {
  readonly name: string
  readonly namespaced: boolean
  readonly kind: string
}

interface Subject {
  readonly found: FoundObject
  readonly document: FoundDocument
  readonly problems: CheckProblem[]
}

/** In the order in which they are needed. Admission looks at these when it judges others. */
const neededByOthers = [
  'CustomResourceDefinition',
  'Namespace',
  'PriorityClass',
  'RuntimeClass',
  'StorageClass',
  'IngressClass',
  'ServiceAccount',
]

const query = 'dryRun=All&fieldManager=pilothouse-check'

export class Checker {
  readonly #server: RunningTestServer
  readonly #settings: CheckSettings
  readonly #served = new Map<string, readonly Resource[]>()
  readonly #namespaces = new Set<string>()

  constructor(server: RunningTestServer, settings: CheckSettings) {
    this.#server = server
    this.#settings = settings
  }

  /** Checks all objects, and keeps those that are good: what comes later is judged by them. */
  async install(documents: Iterable<FoundDocument>): Promise<CheckedObject[]> {
    return this.#checkAll(documents, () => true)
  }

  async check(documents: Iterable<FoundDocument>): Promise<CheckedObject[]> {
    return this.#checkAll(documents, ({ kind }) => neededByOthers.includes(kind))
  }

  async #checkAll(
    documents: Iterable<FoundDocument>,
    isKept: (object: FoundObject) => boolean,
  ): Promise<CheckedObject[]> {
    const entries = [...documents].flatMap(readDocument)
    const subjects = entries.filter((entry) => 'found' in entry)
    markDoubles(subjects, this.#settings.namespace)
    for (const subject of [...subjects].sort((a, b) => rank(a) - rank(b))) {
      await this.#checkOne(subject)
      if (isGood(subject) && isKept(subject.found)) await this.#keep(subject)
    }
    // A policy does nothing before it is bound: its expressions are checked wherever it stands.
    const policies = subjects.filter(({ found }) => found.kind === 'ValidatingAdmissionPolicy').filter(isGood)
    for (const policy of policies) if (!isKept(policy.found)) await this.#keep(policy)
    await this.#checkExpressions(policies)
    return entries.map((entry) => ('found' in entry ? report(entry) : entry))
  }

  async #checkOne({ found, document, problems }: Subject): Promise<void> {
    const resource = await this.#resourceOf(found.apiVersion, found.kind)
    if (resource === undefined) {
      problems.push(this.#unknownKind(found))
      return
    }
    const namespace = resource.namespaced ? namespaceOf(found, this.#settings.namespace) : undefined
    if (namespace !== undefined) await this.#needNamespace(namespace)
    const path = pathOf(found.apiVersion, resource, namespace)
    // As it stands in the file, keys that are there twice are found too.
    const body = found.at.length === 0 ? document.text : JSON.stringify(found.object)
    const type = body.trimStart().startsWith('{') ? 'application/json' : 'application/yaml'
    const send = (validation: string) =>
      this.#send('POST', `${path}?${query}&fieldValidation=${validation}`, body, type)
    let answer = await send('Strict')
    if (answer.status['reason'] === 'AlreadyExists') answer = await this.#reapply(path, found)
    problems.push(...answer.problems.map((problem) => this.#withHint(found, problem)))
    // What else there is to say comes only once the fields are taken as they are.
    if (isStrictDecoding(answer.status)) problems.push(...(await send('Ignore')).problems)
  }

  #withHint({ apiVersion, kind }: FoundObject, problem: CheckProblem): CheckProblem {
    if (problem.rule !== 'UnknownField') return problem
    const schema = this.#server.schemaOf(apiVersion, kind)
    const near = schema === undefined ? [] : nearFields(schema, problem.field ?? '')
    return near.length === 0
      ? problem
      : { ...problem, message: `${problem.message}: did you mean ${near.join(' or ')}?` }
  }

  /** The server has some objects of itself: these are judged as changes of them. */
  #reapply(path: string, { object }: FoundObject) {
    const name = encodeURIComponent(String((object['metadata'] as JsonObject)['name']))
    const target = `${path}/${name}?${query}&force=true&fieldValidation=Strict`
    return this.#send('PATCH', target, JSON.stringify(object), 'application/apply-patch+yaml')
  }

  async #send(method: string, path: string, body: string, type: string) {
    const {
      status,
      warnings,
      body: answer,
    } = await this.#server.send(method, path, body, {
      headers: { 'content-type': type },
    })
    const value: JsonObject = status < 400 ? {} : (answer as JsonObject)
    const refused = status < 400 ? [] : problemsOf(value)
    // A server answers with the first denial; a check is done once for all of them.
    const [, ...denials] = this.#server.takeDenials()
    return {
      status: value,
      problems: [...refused, ...denials.map(problemOfDenial), ...warnings.map(problemOfWarning)],
    }
  }

  #unknownKind(found: FoundObject): CheckProblem {
    const { release } = this.#server
    const finding = lintObject(found, release)
    const said = describeState(finding, release)
    if (finding.state === 'removed')
      return { severity: 'error', rule: 'RemovedVersion', field: 'apiVersion', message: said }
    return {
      severity: this.#settings.skipUnknown ? 'warning' : 'error',
      rule: 'UnknownKind',
      field: 'kind',
      message: `no matches for kind "${found.kind}" in version "${found.apiVersion}"${said === '' ? '' : `: ${said}`}`,
    }
  }

  async #keep({ found, problems }: Subject): Promise<void> {
    const metadata = found.object['metadata'] as JsonObject
    const resource = await this.#resourceOf(found.apiVersion, found.kind)
    const namespace = resource?.namespaced ? { namespace: namespaceOf(found, this.#settings.namespace) } : {}
    try {
      await this.#server.apply({ ...found.object, metadata: { ...metadata, ...namespace } } as ApiObject)
    } catch (error) {
      problems.push({ severity: 'error', rule: 'Install', message: (error as Error).message })
    }
    if (found.kind === 'CustomResourceDefinition') this.#served.clear()
  }

  /** What only shows once a policy is there: expressions that do not fit the types that they are about. */
  async #checkExpressions(policies: readonly Subject[]): Promise<void> {
    await this.#server.settled()
    for (const { found, problems } of policies) {
      const policy = await this.#server.get('validatingadmissionpolicies', shownName(found))
      const warnings: { fieldRef?: string; warning?: string }[] =
        policy?.['status']?.typeChecking?.expressionWarnings ?? []
      for (const { fieldRef = '', warning = '' } of warnings) {
        problems.push({ severity: 'warning', rule: 'ExpressionType', field: fieldRef, message: warning.trim() })
      }
    }
  }

  async #resourceOf(apiVersion: string, kind: string): Promise<Resource | undefined> {
    let served = this.#served.get(apiVersion)
    if (served === undefined) {
      const { status, body } = await this.#server.send<{ resources: Resource[] }>('GET', rootOf(apiVersion))
      served = status === 200 ? body.resources : []
      this.#served.set(apiVersion, served)
    }
    return served.find((resource) => resource.kind === kind && !resource.name.includes('/'))
  }

  async #needNamespace(name: string): Promise<void> {
    if (this.#namespaces.has(name)) return
    this.#namespaces.add(name)
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
    // One that cannot be created is reported by the object that names it.
    await this.#server.send('POST', '/api/v1/namespaces', namespace)
  }
}

const isGood = ({ problems }: Subject): boolean => problems.every(({ severity }) => severity !== 'error')

function readDocument(document: FoundDocument): (Subject | CheckedObject)[] {
  const { file, line } = document
  try {
    return [...fileObjects(document)].map((found) => ({ found, document, problems: [] }))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const { documentLine = 1, ...problem } = problemOfSyntax(error.message.replace(`${file}: `, ''))
    const about = { file, document: document.document, line, apiVersion: '', kind: '', name: '' }
    return [{ ...about, findings: [{ ...problem, line: line + documentLine - 1 }] }]
  }
}

/** The same object twice: the last one would win, or the second creation fail. */
function markDoubles(subjects: readonly Subject[], fallback: string): void {
  const seen = new Map<string, FoundDocument>()
  for (const { found, document, problems } of subjects) {
    const { name } = (found.object['metadata'] ?? {}) as JsonObject
    if (typeof name !== 'string') continue
    const key = JSON.stringify([
      parseGroupVersion(found.apiVersion)?.group,
      found.kind,
      namespaceOf(found, fallback),
      name,
    ])
    const first = seen.get(key)
    if (first === undefined) seen.set(key, document)
    else
      problems.push({
        severity: 'error',
        rule: 'DoubleObject',
        field: 'metadata.name',
        message: `the same object is in ${first.file}, line ${first.line}`,
      })
  }
}

function report({ found, document, problems }: Subject): CheckedObject {
  const { file, line, text } = document
  const lines = new FieldLines(text)
  const findings = problems.map(
    ({ documentLine, ...problem }): CheckFinding => ({
      ...problem,
      line: line - 1 + (documentLine ?? lines.find(found.at, problem.field)),
    }),
  )
  const { apiVersion, kind } = found
  const start = line - 1 + lines.find(found.at)
  return { file, document: document.document, line: start, apiVersion, kind, name: shownName(found), findings }
}

function rank({ found }: Subject): number {
  const place = neededByOthers.indexOf(found.kind)
  return place < 0 ? neededByOthers.length : place
}

function namespaceOf({ object }: FoundObject, fallback: string): string {
  const { namespace } = (object['metadata'] ?? {}) as JsonObject
  return typeof namespace === 'string' && namespace !== '' ? namespace : fallback
}

const rootOf = (apiVersion: string): string => (apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`)

function pathOf(apiVersion: string, { name }: Resource, namespace: string | undefined): string {
  return `${rootOf(apiVersion)}${namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`}/${name}`
}
