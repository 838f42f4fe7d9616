/**
 * Endpoints: subsets of addresses and ports. Subsets that stay as they were are not judged again.
 * Mirrors pkg/apis/core/validation: ValidateEndpoints, ValidateEndpointsCreate, ValidateEndpointsUpdate.
 * Mirrors pkg/registry/core/endpoint: endpointsStrategy.
 */

import { type FieldError, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { warningsForIp } from '../../../../api/ip-validation.ts'
import { equalSemantic } from '../../../../api/json.ts'
import { checkDns1123Label, checkPortNumber, checkSubdomainName } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { eachItem } from '../../../../api/rules-in-steps.ts'
import type { EndpointAddress, EndpointPort, EndpointSubset } from '../../../../catalog/types/core-v1.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import { addMessages, checkQualified, type Errors, isUnset, requireOneOf } from '../../../checks/checks.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { checkEndpointIp, checkOldIp } from '../addresses.ts'

type Endpoints = KubeObject & { subsets?: EndpointSubset[] }

const subsetsAt = FieldPath.of('subsets')
export const protocols = ['SCTP', 'TCP', 'UDP']

export const endpointsRules = (): KindRules<Endpoints> => ({
  strategy: {
    validateMetadataUpdate: (metadata) => [...metadata.validateUpdate(), ...metadata.validate()],
    validate: (endpoints, context) => validateSubsets(endpoints.subsets ?? [], context),
    validateUpdate(endpoints, old, context) {
      const errors = validateSubsets(endpoints.subsets ?? [], context)
      return errors.length > 0 && equalSemantic(endpoints.subsets, old.subsets) ? [] : errors
    },
    warningsOnCreate: warnings,
    warningsOnUpdate: warnings,
  },
})

function validateSubsets(subsets: readonly EndpointSubset[], { gate }: WriteContext): FieldError[] {
  const errors: Errors = []
  const strict = gate('StrictIPCIDRValidation')
  eachItem(errors, subsets, (errors, { addresses = [], notReadyAddresses = [], ports = [] }, i) => {
    const at = subsetsAt.index(i)
    if (addresses.length === 0 && notReadyAddresses.length === 0) {
      errors.push(required(at, 'must specify `addresses` or `notReadyAddresses`'))
    }
    eachItem(errors, addresses, (errors, address, j) => {
      validateAddress(errors, address, at.child('addresses').index(j), strict)
    })
    eachItem(errors, notReadyAddresses, (errors, address, j) => {
      validateAddress(errors, address, at.child('notReadyAddresses').index(j), strict)
    })
    eachItem(errors, ports, (errors, port, j) => {
      validatePort(errors, port, at.child('ports').index(j), ports.length > 1)
    })
  })
  return errors
}

function validateAddress(errors: Errors, address: EndpointAddress, at: FieldPath, strict: boolean): void {
  const { ip = '', hostname = '', nodeName } = address
  checkOldIp(errors, ip, at.child('ip'), { strict })
  if (hostname !== '') addMessages(errors, at.child('hostname'), hostname, checkDns1123Label(hostname))
  if (nodeName !== undefined) addMessages(errors, at.child('nodeName'), nodeName, checkSubdomainName(nodeName))
  checkEndpointIp(errors, ip, at.child('ip'))
}

function validatePort(errors: Errors, port: EndpointPort, at: FieldPath, needsName: boolean): void {
  const { name = '', appProtocol } = port
  if (!isUnset(name)) addMessages(errors, at.child('name'), name, checkDns1123Label(name))
  else if (needsName) errors.push(required(at.child('name')))
  addMessages(errors, at.child('port'), port.port, checkPortNumber(port.port))
  requireOneOf(errors, port.protocol, protocols, at, 'protocol')
  if (appProtocol !== undefined) checkQualified(errors, appProtocol, at.child('appProtocol'))
}

/** The controller that writes most of them writes good addresses. */
function warnings({ metadata, subsets = [] }: Endpoints): string[] {
  if (metadata.labels?.['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller') return []
  const found: string[] = []
  eachItem<EndpointSubset, string>(found, subsets, (found, subset, i) => {
    for (const list of ['addresses', 'notReadyAddresses'] as const) {
      eachItem<EndpointAddress, string>(found, subset[list] ?? [], (found, { ip }, j) => {
        pushAll(found, warningsForIp(subsetsAt.index(i).child(list).index(j).child('ip'), ip))
      })
    }
  })
  return found
}
