/**
 * Which policies a chain of certificates is good for. No verifier here requires a policy, so that any will do; but an authority may require
 * that there is one (`requireExplicitPolicy`), that it is named (`inhibitAnyPolicy`), and that it is not renamed (`inhibitPolicyMapping`).
 * Mirrors crypto/x509: policiesValid, parseCertificatePoliciesExtension.
 */
import { type DerValue, readDer } from '../../lib/der-reader.ts'

/** Policies by the bytes of their object identifiers, as Latin-1. */
export interface CertificatePolicies {
  readonly policies: readonly string[]
  readonly mappings: readonly PolicyMapping[]
  /** After how many certificates; undefined: never. */
  readonly requireExplicit: number | undefined
  readonly inhibitMapping: number | undefined
  readonly inhibitAny: number | undefined
}

interface PolicyMapping {
  readonly issuer: string
  readonly subject: string
}

export const policyExtensions = {
  policies: '2.5.29.32',
  mappings: '2.5.29.33',
  constraints: '2.5.29.36',
  inhibitAny: '2.5.29.54',
} as const

const tags = { integer: 0x02, objectId: 0x06, sequence: 0x30, requireExplicit: 0x80, inhibitMapping: 0x81 } as const
const anyPolicy = Buffer.of(0x55, 0x1d, 0x20, 0).toString('latin1')

class PolicyError extends Error {}

/** By the extension of an identifier. Throws an Error for what cannot be read. */
export function readPolicies(extensionOf: (id: string) => DerValue | undefined): CertificatePolicies {
  const contentOf = (id: string): DerValue | undefined => {
    const extension = extensionOf(id)
    return extension && readDer(extension.contents)[0]
  }
  const partsOf = (id: string): DerValue[] => (extensionOf(id) === undefined ? [] : partsIn(contentOf(id)))
  const policies = partsOf(policyExtensions.policies).map((each) => policyIn(partsIn(each)[0], true))
  if (new Set(policies).size < policies.length) throw new PolicyError('a policy is named twice')
  const [first, second] = partsOf(policyExtensions.constraints)
  const inhibiting = first?.tag === tags.requireExplicit ? second : first
  return {
    policies,
    mappings: partsOf(policyExtensions.mappings).map(mappingIn),
    requireExplicit: first?.tag === tags.requireExplicit ? countIn(first) : undefined,
    inhibitMapping: inhibiting?.tag === tags.inhibitMapping ? countIn(inhibiting) : undefined,
    inhibitAny:
      extensionOf(policyExtensions.inhibitAny) === undefined
        ? undefined
        : countIn(expected(contentOf(policyExtensions.inhibitAny), tags.integer)),
  }
}

function expected(value: DerValue | undefined, tag: number): DerValue {
  if (value?.tag !== tag) throw new PolicyError('a policy extension holds something else')
  return value
}

const partsIn = (value: DerValue | undefined): DerValue[] => readDer(expected(value, tags.sequence).contents)

function policyIn(value: DerValue | undefined, isStrict: boolean): string {
  const { contents } = expected(value, tags.objectId)
  // A part of an identifier begins with no padding, and the last one ends.
  const isPadded = contents.some((byte, i) => byte === 0x80 && (i === 0 || ((contents[i - 1] ?? 0) & 0x80) === 0))
  const isWhole = contents.length > 0 && ((contents.at(-1) ?? 0) & 0x80) === 0
  if (isStrict && (isPadded || !isWhole)) throw new PolicyError('a policy is no object identifier')
  return contents.toString('latin1')
}

function mappingIn(value: DerValue): PolicyMapping {
  const [issuer, subject] = partsIn(value)
  return { issuer: policyIn(issuer, false), subject: policyIn(subject, false) }
}

/** A negative one counts for nothing. */
function countIn({ contents }: DerValue): number | undefined {
  const [first = 0, second = 0] = contents
  const isPadded = contents.length > 1 && (first === 0 ? second < 0x80 : first === 0xff && second >= 0x80)
  if (contents.length === 0 || contents.length > 8 || isPadded) throw new PolicyError('a number that is none')
  return first >= 0x80 ? undefined : Number.parseInt(contents.toString('hex'), 16)
}

interface PolicyNode {
  readonly policy: string
  expects: readonly string[]
  readonly parents: Set<PolicyNode>
  readonly children: Set<PolicyNode>
}

/** The policies that are valid so far, a stratum a certificate, as of RFC 9618: its size is bounded by what the certificates name. */
class PolicyGraph {
  readonly #strata: Map<string, PolicyNode>[] = [new Map()]

  constructor() {
    this.#insert(anyPolicy, [])
  }

  get #leaves(): Map<string, PolicyNode> {
    return this.#strata.at(-1) ?? new Map()
  }

  #insert(policy: string, parents: readonly PolicyNode[]): PolicyNode {
    const node: PolicyNode = { policy, expects: [policy], parents: new Set(parents), children: new Set() }
    for (const parent of parents) parent.children.add(node)
    this.#leaves.set(policy, node)
    return node
  }

  /** A stratum for what a certificate names. */
  grow(policies: readonly string[], allowsAny: boolean): void {
    const above = this.#leaves
    const expecting = new Map<string, PolicyNode[]>()
    for (const node of above.values()) {
      for (const policy of node.expects) expecting.set(policy, [...(expecting.get(policy) ?? []), node])
    }
    this.#strata.push(new Map())
    const fromAny = above.get(anyPolicy)
    for (const policy of policies) {
      const parents = expecting.get(policy) ?? (fromAny === undefined ? [] : [fromAny])
      if (policy !== anyPolicy && parents.length > 0) this.#insert(policy, parents)
    }
    if (allowsAny && policies.includes(anyPolicy)) {
      const missing = [...expecting].filter(([policy]) => !this.#leaves.has(policy))
      for (const [policy, parents] of missing) this.#insert(policy, parents)
    }
    this.#prune()
  }

  /** Drops what leads to no leaf. */
  #prune(): void {
    for (const stratum of this.#strata.slice(1, -1).reverse()) {
      for (const node of stratum.values()) {
        if (node.children.size > 0) continue
        for (const parent of node.parents) parent.children.delete(node)
        stratum.delete(node.policy)
      }
    }
  }

  forbid(policy: string): void {
    const node = this.#leaves.get(policy)
    for (const parent of node?.parents ?? []) parent.children.delete(node as PolicyNode)
    this.#leaves.delete(policy)
    this.#prune()
  }

  map(mappings: ReadonlyMap<string, readonly string[]>): void {
    for (const [issuer, subjects] of mappings) {
      const fromAny = this.#leaves.get(anyPolicy)
      const node = this.#leaves.get(issuer) ?? (fromAny && this.#insert(issuer, [fromAny]))
      if (node !== undefined) node.expects = subjects
    }
  }

  /** Whether the chain is good for any policy at all. */
  get isValid(): boolean {
    const comesFromAny = ({ policy, parents }: PolicyNode): boolean =>
      policy !== anyPolicy && parents.size === 1 && [...parents].every((parent) => parent.policy === anyPolicy)
    return this.#leaves.has(anyPolicy) || this.#strata.some((stratum) => [...stratum.values()].some(comesFromAny))
  }
}

/** By the policy of the issuer; undefined where one is from or to any policy, which must not be. */
function subjectsOf(mappings: readonly PolicyMapping[]): Map<string, string[]> | undefined {
  const subjects = new Map<string, string[]>()
  for (const { issuer, subject } of mappings) {
    if (issuer === anyPolicy || subject === anyPolicy) return undefined
    subjects.set(issuer, [...(subjects.get(issuer) ?? []), subject])
  }
  return subjects
}

export interface PolicyLink extends CertificatePolicies {
  /** Its issuer has its own name. */
  readonly isSelfIssued: boolean
}

/** Of a chain from the leaf to the authority, whose own policies do not count. */
export function hasValidPolicies(chain: readonly PolicyLink[]): boolean {
  const below = chain.slice(0, -1)
  let graph: PolicyGraph | undefined = new PolicyGraph()
  const start = below.length + 1
  let [explicit, mapping, any] = [start, start, start]
  for (const [i, link] of [...below.entries()].reverse()) {
    if (link.policies.length === 0) graph = undefined
    if (graph === undefined && explicit === 0) return false
    graph?.grow(link.policies, any > 0 || (i > 0 && link.isSelfIssued))
    if (i === 0) break
    if (graph !== undefined && mapping > 0) {
      const subjects = subjectsOf(link.mappings)
      if (subjects === undefined) return false
      graph.map(subjects)
    } else for (const { issuer } of link.mappings) graph?.forbid(issuer)
    const step = link.isSelfIssued ? 0 : 1
    explicit = Math.min(Math.max(0, explicit - step), link.requireExplicit ?? start)
    mapping = Math.min(Math.max(0, mapping - step), link.inhibitMapping ?? start)
    any = Math.min(Math.max(0, any - step), link.inhibitAny ?? start)
  }
  const isRequired = below.length > 0 && (explicit <= 1 || chain[0]?.requireExplicit === 0)
  return !isRequired || graph?.isValid === true
}
