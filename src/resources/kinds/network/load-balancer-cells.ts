/** The addresses of load balancers as ingresses and services show them. */
import type { JsonObject } from '../../../api/json.ts'
import { at, objects, sortedUnique, textValue } from '../../columns/cells.ts'

/** Addresses of a load balancer, each once. */
export const ingressAddresses = (object: JsonObject): string[] =>
  sortedUnique(
    objects(at(object, 'status', 'loadBalancer', 'ingress')).map(
      (point) => textValue(point['ip']) || textValue(point['hostname']),
    ),
  )
