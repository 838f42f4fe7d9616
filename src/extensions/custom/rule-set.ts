/**
 * The validation rules of a schema, run over an object: from the outside in, within one budget. Rules are compiled when
 * an object first reaches them. A rule about a part that has not changed does not refuse: its failure is a warning.
 */

import { type FieldError, invalid } from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../../api/json.ts'
import { hasChange } from '../../api/release-changes.ts'
import { defaultRelease } from '../../api/release-facts.ts'
import { errorAtRelease } from '../../api/release-wordings.ts'
import { DeclaredType } from '../../cel/declared-type.ts'
import { type Environment, storedExpressions } from '../../cel/environment.ts'
import { evaluateInSteps } from '../../cel/program.ts'
import type { Steps } from '../../lib/in-turns.ts'
import { memoize, SideTable } from '../../lib/memo.ts'
import type { ListSchema, Schema } from '../../schema/schema.ts'
import { isUnchangedValue } from '../../schema/validate.ts'
import { type CompiledRule, compileRule, type RuleEnvironments } from './compiled-rule.ts'
import { defaultText, errorFor, normalizedPath, shortText, typeText } from './rule-errors.ts'

export interface RuleRun {
  readonly at: FieldPath
  /** The value that is being replaced. */
  readonly old: JsonValue | undefined
  readonly budget: number
  /** Failures of what has not changed are warnings; without it they are errors as well. */
  readonly ratchet?: boolean
}

export interface RuleOutcome {
  readonly errors: FieldError[]
  readonly warnings: string[]
}

/** What is stored may use everything that a server of the release knows. */
function storedAt(release: number): RuleEnvironments {
  let environment: Environment | undefined
  const forRule = (): Environment => {
    environment ??= storedExpressions(release)
    return environment
  }
  return { forRule, forMessage: forRule }
}

/** The rules of one release. */
interface RuleRelease {
  readonly release: number
  readonly environments: RuleEnvironments
  readonly sets: SideTable<Schema, RuleSet | null>
}

const releases = new Map<number, RuleRelease>()

function ruleRelease(release: number): RuleRelease {
  const known = releases.get(release)
  if (known !== undefined) return known
  const made = { release, environments: storedAt(release), sets: new SideTable<Schema, RuleSet | null>() }
  releases.set(release, made)
  return made
}

const maxMessageBytes = 5 * 1024
const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run'

const undeclaredType = 'rule compiler initialization error: failed to convert to declType for CEL validation rules'

export class RuleSet {
  readonly #schema: Schema
  readonly #declared: DeclaredType
  readonly #release: RuleRelease
  readonly #items: RuleSet | undefined
  readonly #values: RuleSet | undefined
  readonly #fields = new Map<string, RuleSet>()
  #compiled: readonly (CompiledRule | undefined)[] | undefined

  private constructor(schema: Schema, declared: DeclaredType, release: RuleRelease) {
    this.#schema = schema
    this.#declared = declared
    this.#release = release
    if (schema.kind === 'list') this.#items = this.#below(schema.items, declared.element)
    if (schema.kind === 'map') this.#values = this.#below(schema.values, declared.element)
    if (schema.kind !== 'object') return
    for (const field of schema.fields.values()) {
      const inner = this.#below(field.schema, declared.properties.get(field.name)?.type)
      if (inner !== undefined) this.#fields.set(field.name, inner)
    }
  }

  /** Undefined when there is no rule anywhere. */
  static of(schema: Schema, isRoot: boolean, minor: number = defaultRelease): RuleSet | undefined {
    const release = ruleRelease(minor)
    const known = release.sets.get(schema)
    if (known !== undefined) return known ?? undefined
    const made = hasRules(schema)
      ? new RuleSet(schema, new DeclaredType(schema, { name: 'selfType', resourceRoot: isRoot }), release)
      : undefined
    release.sets.set(schema, made ?? null)
    return made
  }

  #below(schema: Schema, declared: DeclaredType | undefined): RuleSet | undefined {
    return declared !== undefined && hasRules(schema) ? new RuleSet(schema, declared, this.#release) : undefined
  }

  /** One rule with each step: rules may take long, so that other requests get their turn in between. */
  validate(value: JsonValue, run: RuleRun): Steps<RuleOutcome> {
    return new Walk(run.budget, this.#release.release).steps(this.#visit(value, run))
  }

  #visit(value: JsonValue, { at, old, ratchet = false }: RuleRun): Visit {
    const current = ratchet ? { value, old, schema: this.schema } : undefined
    return { set: this, value, place: { at, old, correlation: { current, parent: undefined } } }
  }

  get schema(): Schema {
    return this.#schema
  }

  /** Whether the value has a type that rules can look at; fields without one have no rules at all. */
  get isDeclared(): boolean {
    return this.#declared.isDeclared
  }

  get items(): RuleSet | undefined {
    return this.#items
  }

  /** The rules of the value at a key. */
  inner(key: string): RuleSet | undefined {
    return this.#values ?? this.#fields.get(key)
  }

  get hasInner(): boolean {
    return this.#values !== undefined || this.#fields.size > 0
  }

  rules(): readonly (CompiledRule | undefined)[] {
    const { environments } = this.#release
    this.#compiled ??= (this.#schema.constraints?.rules ?? []).map((rule) =>
      compileRule(rule, this.#declared, environments),
    )
    return this.#compiled
  }
}

const hasRules = memoize(
  'has-rules',
  (schema: Schema): boolean =>
    (schema.constraints?.rules?.length ?? 0) > 0 ||
    (schema.kind === 'list' && hasRules(schema.items)) ||
    (schema.kind === 'map' && hasRules(schema.values)) ||
    (schema.kind === 'object' && [...schema.fields.values()].some((field) => hasRules(field.schema))),
)

/** A part of the object beside its old self, where the two can be correlated. */
interface Pair {
  readonly value: JsonValue
  readonly old: JsonValue | undefined
  readonly schema: Schema
}

interface Correlation {
  readonly current: Pair | undefined
  readonly parent: Pair | undefined
}

interface RulePosition {
  readonly at: FieldPath
  readonly old: JsonValue | undefined
  readonly correlation: Correlation
}

const isUnchanged = (pair: Pair | undefined): boolean =>
  pair !== undefined && isUnchangedValue(pair.value, pair.old, pair.schema)

/** A value that rules are about, or that such values are in. */
interface Visit {
  readonly set: RuleSet
  readonly value: JsonValue
  readonly place: RulePosition
}

class Walk {
  readonly #errors: FieldError[] = []
  readonly #warnings: string[] = []
  readonly #release: number
  #budget: number

  constructor(budget: number, release: number) {
    this.#budget = budget
    this.#release = release
  }

  get #isOver(): boolean {
    return this.#budget < 0
  }

  /** Runs the rules of a value and of all that is in it, one with each step. */
  *steps(root: Visit): Steps<RuleOutcome> {
    const outcome = { errors: this.#errors, warnings: this.#warnings }
    const open: Iterator<Visit>[] = [[root].values()]
    for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
      const { value: visit, done } = level.next()
      if (done === true) {
        open.pop()
      } else if (visit.value !== null) {
        for (const compiled of this.#rulesFor(visit)) {
          if (compiled !== undefined) yield* this.#run(compiled, { ...visit, type: typeText(visit.set.schema) })
          if (this.#isOver) return outcome
          yield
        }
        if (this.#isOver) return outcome
        open.push(visitsIn(visit))
        yield
      }
    }
    return outcome
  }

  #rulesFor({ set, place }: Visit): readonly (CompiledRule | undefined)[] {
    if ((set.schema.constraints?.rules?.length ?? 0) === 0) return noRules
    if (!set.isDeclared) {
      this.#errors.push(invalid(place.at, typeText(set.schema), undeclaredType))
      return noRules
    }
    if (this.#budget > 0) return set.rules()
    this.#stop(invalid(place.at, typeText(set.schema), outOfBudget))
    return noRules
  }

  #stop(error: FieldError): void {
    this.#errors.push(error)
    this.#budget = -1
  }

  *#run(compiled: CompiledRule, about: About): Steps<void> {
    const { rule, program, usesOldSelf } = compiled
    const { type, place } = about
    if (program === undefined) {
      this.#errors.push(invalid(place.at, type, `rule compile error: ${compiled.error ?? ''}`))
      return
    }
    const optional = rule.optionalOldSelf === true
    if (usesOldSelf && place.old === undefined && !optional) return
    const result = yield* evaluateInSteps(program, activationOf(about, optional))
    if (result.cost > this.#budget) {
      this.#stop(invalid(place.at, type, outOfBudget))
      return
    }
    this.#budget -= result.cost
    if (result.kind === 'value' && result.value === true) return
    if (result.kind === 'value') {
      yield* this.#fail(compiled, about)
      return
    }
    const problem = result.kind === 'error' ? result.message : 'the rule has no answer'
    if (result.kind === 'error' && result.limitExceeded) {
      const text = `'${problem}': no further validation rules will be run due to call cost exceeds limit for rule: ${shortText(rule)}`
      this.#stop(invalid(place.at, type, text))
    } else if (problem.startsWith('no such overload')) {
      const text = `'${problem}': call arguments did not match a supported operator, function or macro signature for rule: ${shortText(rule)}`
      this.#errors.push(invalid(place.at, type, text))
    } else {
      this.#errors.push(invalid(place.at, type, `${problem} evaluating rule: ${shortText(rule)}`))
    }
  }

  *#fail(compiled: CompiledRule, about: About): Steps<void> {
    const { set, type, place } = about
    const { rule } = compiled
    // Defaults are checked with rules whose message does not compile; the reference then knows no path.
    const hasPath = rule.fieldPath !== undefined && compiled.messageError === undefined
    const path = hasPath ? normalizedPath(rule.fieldPath, set.schema) : undefined
    const at = path === undefined ? place.at : place.at.child(path)
    const { current, parent } = place.correlation
    const isForgiven = !compiled.usesOldSelf && isUnchanged(current ?? parent)
    const add = (error: FieldError): void => {
      if (isForgiven) this.#warnings.push(`${error.field}: ${errorAtRelease(error, this.#release).message}`)
      else this.#errors.push(error)
    }
    const message = compiled.message === undefined ? undefined : yield* this.#message(compiled, about)
    if (message?.stop !== undefined) {
      add(invalid(at, type, message.stop))
      this.#budget = -1
      return
    }
    const shown = hasChange(this.#release, 'ruleValues') ? scalarOf(about) : type
    add(errorFor(rule, at, shown, message?.text ?? defaultText(rule)))
  }

  /** The text of the message's expression; undefined when it has none that can be shown. */
  *#message({ message, rule }: CompiledRule, about: About): Steps<{ readonly text?: string; readonly stop?: string }> {
    if (message === undefined) return {}
    const result = yield* evaluateInSteps(message, activationOf(about, false))
    if (result.cost > this.#budget) {
      return {
        stop: 'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
      }
    }
    if (result.kind === 'error' && result.limitExceeded) {
      const shown = JSON.stringify(rule.messageExpression ?? '')
      return {
        stop: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${shown}`,
      }
    }
    this.#budget -= result.cost
    if (result.kind !== 'value' || typeof result.value !== 'string') return {}
    const text = result.value.trim()
    const isShown = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= maxMessageBytes
    return isShown ? { text } : {}
  }
}

const noRules: readonly never[] = []

function visitsIn(visit: Visit): Iterator<Visit> {
  const { value } = visit
  if (Array.isArray(value)) return visitsInList(visit, value)
  return isJsonObject(value) && visit.set.hasInner ? visitsInObject(visit, value) : [].values()
}

function* visitsInList({ set, place }: Visit, list: readonly JsonValue[]): Generator<Visit> {
  const { items } = set
  if (items === undefined) return
  const match = matcher(set.schema as ListSchema, place.old)
  const { correlation } = place
  for (const [i, value] of list.entries()) {
    const old = match(value)
    const current = old === undefined ? undefined : { value, old, schema: items.schema }
    yield { set: items, value, place: { at: place.at.index(i), old, correlation: below(correlation, current) } }
  }
}

function* visitsInObject({ set, place }: Visit, object: JsonObject): Generator<Visit> {
  const before = isJsonObject(place.old) ? place.old : undefined
  for (const key of Object.keys(object)) {
    const inner = set.inner(key)
    if (inner === undefined) continue
    const value = object[key] as JsonValue
    const old = before === undefined ? undefined : (ownValue(before, key) ?? undefined)
    const at = set.schema.kind === 'map' ? place.at.key(key) : place.at.child(key)
    const current = old === undefined ? undefined : { value, old, schema: inner.schema }
    yield { set: inner, value, place: { at, old, correlation: below(place.correlation, current) } }
  }
}

const below = (above: Correlation, current: Pair | undefined): Correlation =>
  above.current === undefined ? above : { current, parent: above.current }

interface About extends Visit {
  readonly type: string
}

function activationOf({ value: self, place }: About, optional: boolean): Record<string, JsonValue> {
  if (optional) return { self, oldSelf: place.old ?? null }
  return place.old === undefined ? { self } : { self, oldSelf: place.old }
}

/** What a message quotes of the value that breaks a rule: objects and lists are left out. */
const scalarOf = ({ type, value }: About): JsonValue | undefined =>
  type === 'object' || type === 'array' ? undefined : value

/** Only elements of a list with keys have an old self. */
function matcher(schema: ListSchema, old: JsonValue | undefined): (item: JsonValue) => JsonValue | undefined {
  if (schema.topology !== 'map' || !Array.isArray(old)) return () => undefined
  const keysOf = (item: JsonValue): string =>
    JSON.stringify(
      schema.keys.map((key) => (isJsonObject(item) ? (ownValue(item, key) ?? defaultOf(schema, key)) : null)),
      (_, v: unknown) => (typeof v === 'bigint' ? String(v) : v),
    )
  const known = new Map<string, JsonValue>()
  // Of elements with the same keys, which a list may have had before they were keys, the first counts.
  for (const item of old.toReversed()) known.set(keysOf(item), item)
  return (item) => known.get(keysOf(item))
}

function defaultOf({ items }: ListSchema, key: string): JsonValue {
  return (items.kind === 'object' ? items.fields.get(key)?.schema.default : undefined) ?? null
}
