/**
 * Chains of client certificates with policies, and whether they are good: as kube-apiserver v1.33 took or refused them in handshakes. Each
 * is from the leaf upwards to below the authority, which signs the last and whose own policies do not count.
 */
import { anyPolicy, type ForgedCertificate, type ForgedPolicies } from './forged-certificates.ts'

export interface PolicyChain {
  readonly chain: readonly ForgedCertificate[]
  readonly isGood: boolean
}

const [one, two, three] = ['1.3.6.1.4.1.55555.1', '1.3.6.1.4.1.55555.2', '1.3.6.1.4.1.55555.3'] as const

const names = ['below', 'deeper', 'deepest'] as const

/** The policies of the leaf, then of every authority above it. */
function chainOf(leaf: ForgedPolicies, ...above: readonly (ForgedPolicies & { readonly like?: 'above' })[]) {
  return [
    { commonName: 'jane', purpose: 'client' as const, policies: leaf },
    ...above.map((policies, i) => ({
      commonName: policies.like === 'above' ? (names[i + 1] ?? '') : (names[i] ?? ''),
      authority: Number.POSITIVE_INFINITY,
      policies,
    })),
  ]
}

const good = (...given: Parameters<typeof chainOf>): PolicyChain => ({ chain: chainOf(...given), isGood: true })
const bad = (...given: Parameters<typeof chainOf>): PolicyChain => ({ chain: chainOf(...given), isGood: false })
const critical = { isCritical: true }
const loose = { isCritical: false }

export const policyChains: Readonly<Record<string, PolicyChain>> = {
  'no policies at all': good({}, {}),
  'a policy that nothing asks for': good({ named: [one] }, {}),
  'a critical policy': good({ named: [one], ...critical }, { named: [one], ...critical }),
  'policies that differ, where nothing asks for one': good({ named: [one] }, { named: [two] }),
  'none where one is required': bad({}, { requireExplicit: 0 }),
  'none where one is required, not critical': bad({}, { requireExplicit: 0, ...loose }),
  'none where the authority alone has one': bad({}, { named: [one], requireExplicit: 0 }),
  'one where the authority has none': bad({ named: [one] }, { requireExplicit: 0 }),
  'another than that of the authority': bad({ named: [two] }, { named: [one], requireExplicit: 0 }),
  'that of the authority': good({ named: [one] }, { named: [one], requireExplicit: 0 }),
  'one of several of the authority': good({ named: [two] }, { named: [one, two], requireExplicit: 0 }),
  'one among several': good({ named: [three, two] }, { named: [one, two], requireExplicit: 0 }),
  'one below an authority for any': good({ named: [two] }, { named: [anyPolicy], requireExplicit: 0 }),
  'any below an authority for one': good({ named: [anyPolicy] }, { named: [one], requireExplicit: 0 }),
  'any below an authority for any': good({ named: [anyPolicy] }, { named: [anyPolicy], requireExplicit: 0 }),
  'none, where one is required below the next': bad({}, { requireExplicit: 1 }),
  'none, where one is required later than the chain is long': good({}, { requireExplicit: 2 }),
  'none, where one is required of deeper chains': bad({}, {}, { requireExplicit: 1 }),
  'none two below, where one is required': bad({}, { named: [one] }, { named: [one], requireExplicit: 0 }),
  'one that is not of the middle': bad({ named: [one] }, { named: [two] }, { named: [one], requireExplicit: 0 }),
  'one that is lost in the middle': bad({ named: [one] }, {}, { named: [one], requireExplicit: 0 }),
  'one through the whole chain': good({ named: [one] }, { named: [one] }, { named: [one], requireExplicit: 0 }),
  'a requirement that a lower one would end': bad({}, { requireExplicit: 5 }, { requireExplicit: 0 }),
  'a leaf that requires one itself': bad({ requireExplicit: 0 }, {}),
  'a leaf that requires one and has it': good({ named: [one], requireExplicit: 0 }, { named: [one] }),
  'a leaf that requires one later': good({ requireExplicit: 1 }, {}),
  'any where it is inhibited': bad({ named: [anyPolicy] }, { named: [one], requireExplicit: 0, inhibitAny: 0 }),
  'any where it is inhibited, not critical': bad(
    { named: [anyPolicy] },
    { named: [one], requireExplicit: 0, inhibitAny: 0, ...loose },
  ),
  'any where it is inhibited later': good({ named: [anyPolicy] }, { named: [one], requireExplicit: 0, inhibitAny: 1 }),
  'any two below where it is inhibited': bad(
    { named: [anyPolicy] },
    { named: [one] },
    { named: [one], requireExplicit: 0, inhibitAny: 1 },
  ),
  'any where it is inhibited and nothing is required': good({ named: [anyPolicy] }, { named: [one], inhibitAny: 0 }),
  'any in the middle where it is inhibited': bad(
    { named: [one] },
    { named: [anyPolicy] },
    { named: [one], requireExplicit: 0, inhibitAny: 0 },
  ),
  'any in the middle where it is inhibited, of an authority that issued itself': good(
    { named: [one] },
    { named: [anyPolicy], like: 'above' },
    { named: [one], requireExplicit: 0, inhibitAny: 0 },
  ),
  'any twice where it is inhibited and the authority is for any': bad(
    { named: [anyPolicy] },
    { named: [anyPolicy], requireExplicit: 0, inhibitAny: 0 },
  ),
  'one that is mapped': good({ named: [two] }, { named: [one], mapped: [[one, two]], requireExplicit: 0 }),
  'one that is mapped, not critical': good(
    { named: [two] },
    { named: [one], mapped: [[one, two]], requireExplicit: 0, ...loose },
  ),
  'one that is mapped away': bad({ named: [one] }, { named: [one], mapped: [[one, two]], requireExplicit: 0 }),
  'one that is mapped from another': bad(
    { named: [two] },
    { named: [one], mapped: [[three, two]], requireExplicit: 0 },
  ),
  'one that is mapped from any of the authority': good(
    { named: [two] },
    { named: [anyPolicy], mapped: [[three, two]], requireExplicit: 0 },
  ),
  'one that is mapped where that is inhibited': bad(
    { named: [two] },
    { named: [one], mapped: [[one, two]] },
    { named: [one], requireExplicit: 0, inhibitMapping: 0 },
  ),
  'one that is mapped where that is inhibited later': good(
    { named: [two] },
    { named: [one], mapped: [[one, two]] },
    { named: [one], requireExplicit: 0, inhibitMapping: 1 },
  ),
  'one that is not mapped where that is inhibited': good(
    { named: [one] },
    { named: [one] },
    { named: [one], requireExplicit: 0, inhibitMapping: 0 },
  ),
  'one that stays although its mapping is inhibited': bad(
    { named: [one] },
    { named: [one], mapped: [[one, two]] },
    { named: [one], requireExplicit: 0, inhibitMapping: 0 },
  ),
  'one that is mapped twice over': good(
    { named: [three] },
    { named: [two], mapped: [[two, three]] },
    { named: [one], mapped: [[one, two]], requireExplicit: 0 },
  ),
  'a mapping to any': bad({ named: [one] }, { named: [one], mapped: [[one, anyPolicy]] }),
  'a mapping from any': bad({ named: [one] }, { named: [one], mapped: [[anyPolicy, one]] }),
  'a mapping to any where nothing has policies': good({}, { mapped: [[one, anyPolicy]] }),
  'a mapping of the leaf': good({ named: [one], mapped: [[one, two]] }, { named: [one], requireExplicit: 0 }),
  'a policy twice': bad({ named: [one, one] }, {}),
  'a policy twice in an authority': bad({}, { named: [one, one] }),
  'a negative requirement': good({}, { requireExplicit: 0x80 }),
  'a negative inhibition of any': good(
    { named: [anyPolicy] },
    { named: [one], requireExplicit: 0, inhibitMapping: 0x80 },
  ),
}
