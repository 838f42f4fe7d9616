/**
 * Service ranges: one or two, one a family. A second may be added, nothing else changes. Status is written anywhere.
 * Mirrors pkg/apis/networking/validation: ValidateServiceCIDR, ValidateServiceCIDRUpdate,
 * ValidateServiceCIDRStatusUpdate.
 * Mirrors pkg/registry/networking/servicecidr: serviceCIDRStrategy, serviceCIDRStatusStrategy.
 */
import { type FieldError, invalid, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { parseCidr } from '../../../../api/ip.ts'
import { checkCidr } from '../../../../api/ip-validation.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { goStrings, goStruct, invalidAs } from '../../../../catalog/golang/pod-syntax.ts'
import type { ServiceCIDRSpec, ServiceCIDRStatus } from '../../../../catalog/types/networking-v1.ts'
import { addMessages, type Errors, immutableMessage } from '../../../checks/checks.ts'
import { keepMetadataForStatus } from '../../../checks/status-metadata.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { statusOnly } from '../../../plain-rules.ts'

export type ServiceCidr = KubeObject & { spec: ServiceCIDRSpec; status?: ServiceCIDRStatus }

const at = FieldPath.of('spec', 'cidrs')

export const serviceCidrRules = (): KindRules<ServiceCidr> => ({
  strategy: {
    prepareForCreate(draft, { gate }) {
      if (gate('ServiceCIDRStatusFieldWiping')) draft.status = {}
    },
    prepareForUpdate(draft, old, { gate }) {
      if (!gate('ServiceCIDRStatusFieldWiping')) return
      if (old.status === undefined) delete draft.status
      else draft.status = old.status
    },
    validate: (object) => validate(rangesOf(object)),
    validateUpdate: (object, old) => validateUpdate(object.spec?.cidrs, rangesOf(old)),
  },
  gatedResets: { ServiceCIDRStatusFieldWiping: ['status'] },
  parts: { status: statusOnly<ServiceCidr>({ prepareForUpdate: keepMetadataForStatus }) },
})

const rangesOf = ({ spec }: ServiceCidr): string[] => spec?.cidrs ?? []

function validate(ranges: string[]): FieldError[] {
  if (ranges.length === 0) return [required(at, 'at least one CIDR required')]
  if (ranges.length > 2) {
    const shown = goStruct('networking.ServiceCIDRSpec', { CIDRs: goStrings(ranges) })
    return [invalidAs(at, () => shown, 'may only hold up to 2 values')]
  }
  const errors: Errors = []
  ranges.forEach((range, i) => {
    addMessages(errors, at.index(i), range, checkCidr(range))
  })
  const [first, second] = ranges.map((range) => parseCidr(range)?.address.family)
  if (ranges.length === 2 && first !== undefined && first === second) {
    const why = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'
    errors.push(invalidAs(at, () => goStrings(ranges), why))
  }
  return errors
}

function validateUpdate(given: string[] | undefined, old: readonly string[]): FieldError[] {
  const ranges = given ?? []
  const changed = (i: number): FieldError[] =>
    ranges[i] === old[i] ? [] : [invalid(at.index(i), ranges[i] ?? '', immutableMessage)]
  if (ranges.length === old.length) return ranges.flatMap((_, i) => changed(i))
  if (ranges.length === 2 && old.length === 1) return [...changed(0), ...validate(ranges)]
  return [invalidAs(at, () => goStrings(given), immutableMessage)]
}
