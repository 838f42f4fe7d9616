/** Metrics of an autoscaler in the shape that v1 keeps in annotations, and back. */
import type { JsonObject } from '../../../../api/json.ts'
import { Quantity } from '../../../../api/quantity.ts'
import type { MetricIdentifier, MetricSpec, MetricStatus } from '../../../../catalog/types/autoscaling-v2.ts'
import { integerIn, objectIn, objectOf, quantityIn, textIn } from '../../../conversions/json-reader.ts'
import { withoutAbsent } from '../../../conversions/wire-order.ts'

export function metricToV1(metric: MetricSpec): JsonObject {
  const { type, object, pods, resource, containerResource, external } = metric
  return withoutAbsent({
    type,
    object:
      object &&
      withoutAbsent({
        target: object.describedObject,
        metricName: object.metric.name,
        targetValue: object.target.value ?? '0',
        selector: object.metric.selector as JsonObject | undefined,
        averageValue: object.target.averageValue,
      }),
    pods:
      pods &&
      withoutAbsent({
        metricName: pods.metric.name,
        targetAverageValue: pods.target.averageValue ?? '0',
        selector: pods.metric.selector as JsonObject | undefined,
      }),
    resource:
      resource &&
      withoutAbsent({
        name: resource.name,
        targetAverageUtilization: resource.target.averageUtilization,
        targetAverageValue: resource.target.averageValue,
      }),
    containerResource:
      containerResource &&
      withoutAbsent({
        name: containerResource.name,
        targetAverageUtilization: containerResource.target.averageUtilization,
        targetAverageValue: containerResource.target.averageValue,
        container: containerResource.container,
      }),
    external:
      external &&
      withoutAbsent({
        metricName: external.metric.name,
        metricSelector: external.metric.selector as JsonObject | undefined,
        targetValue: external.target.value,
        targetAverageValue: external.target.averageValue,
      }),
  })
}

export function statusToV1(status: MetricStatus): JsonObject {
  const { type, object, pods, resource, containerResource, external } = status
  return withoutAbsent({
    type,
    object:
      object &&
      withoutAbsent({
        target: object.describedObject,
        metricName: object.metric.name,
        currentValue: object.current.value ?? '0',
        selector: object.metric.selector as JsonObject | undefined,
        averageValue: object.current.averageValue,
      }),
    pods:
      pods &&
      withoutAbsent({
        metricName: pods.metric.name,
        currentAverageValue: pods.current.averageValue ?? '0',
        selector: pods.metric.selector as JsonObject | undefined,
      }),
    resource:
      resource &&
      withoutAbsent({
        name: resource.name,
        currentAverageUtilization: resource.current.averageUtilization,
        currentAverageValue: resource.current.averageValue ?? '0',
      }),
    containerResource:
      containerResource &&
      withoutAbsent({
        name: containerResource.name,
        currentAverageUtilization: containerResource.current.averageUtilization,
        currentAverageValue: containerResource.current.averageValue ?? '0',
        container: containerResource.container,
      }),
    external:
      external &&
      withoutAbsent({
        metricName: external.metric.name,
        metricSelector: external.metric.selector as JsonObject | undefined,
        currentValue: external.current.value ?? '0',
        currentAverageValue: external.current.averageValue,
      }),
  })
}

const identifier = (source: JsonObject, selectorKey: string): JsonObject & MetricIdentifier =>
  withoutAbsent({ name: textIn(source, 'metricName') ?? '', selector: objectIn(source, selectorKey) }) as JsonObject &
    MetricIdentifier

const reference = (source: JsonObject): JsonObject => {
  const target = objectIn(source, 'target') ?? {}
  return withoutAbsent({
    kind: textIn(target, 'kind') ?? '',
    name: textIn(target, 'name') ?? '',
    apiVersion: textIn(target, 'apiVersion'),
  })
}

/** A target of a resource: how much of what was asked for, or how much in all. */
function resourceTarget(source: JsonObject): JsonObject {
  const averageUtilization = integerIn(source, 'targetAverageUtilization')
  return withoutAbsent({
    type: averageUtilization === undefined ? 'AverageValue' : 'Utilization',
    averageValue: quantityIn(source, 'targetAverageValue'),
    averageUtilization,
  })
}

export function metricFromV1(value: unknown, targetOf = objectTarget): JsonObject {
  const metric = objectOf(value)
  const object = objectIn(metric, 'object')
  const pods = objectIn(metric, 'pods')
  const resource = objectIn(metric, 'resource')
  const containerResource = objectIn(metric, 'containerResource')
  const external = objectIn(metric, 'external')
  return withoutAbsent({
    type: textIn(metric, 'type') ?? '',
    object: object && {
      describedObject: reference(object),
      target: targetOf(object),
      metric: identifier(object, 'selector'),
    },
    pods: pods && {
      metric: identifier(pods, 'selector'),
      target: { type: 'AverageValue', averageValue: quantityIn(pods, 'targetAverageValue') ?? '0' },
    },
    resource: resource && { name: textIn(resource, 'name') ?? '', target: resourceTarget(resource) },
    containerResource: containerResource && {
      name: textIn(containerResource, 'name') ?? '',
      target: resourceTarget(containerResource),
      container: textIn(containerResource, 'container') ?? '',
    },
    external: external && { metric: identifier(external, 'metricSelector'), target: externalTarget(external) },
  })
}

function objectTarget(source: JsonObject): JsonObject {
  const averageValue = quantityIn(source, 'averageValue')
  return withoutAbsent({
    type: averageValue === undefined ? 'Value' : 'AverageValue',
    value: quantityIn(source, 'targetValue') ?? '0',
    averageValue,
  })
}

/** A zero beside an average stands for no value: v1 cannot leave it out. */
export function objectTargetWithoutZero(source: JsonObject): JsonObject {
  const { value, ...rest } = objectTarget(source)
  const isZero = Quantity.parse(String(value)).sign() === 0
  return isZero && rest['averageValue'] !== undefined ? rest : { ...rest, value }
}

function externalTarget(source: JsonObject): JsonObject {
  const value = quantityIn(source, 'targetValue')
  return withoutAbsent({
    type: value === undefined ? 'AverageValue' : 'Value',
    value,
    averageValue: quantityIn(source, 'targetAverageValue'),
  })
}

const resourceStatus = (source: JsonObject): JsonObject =>
  withoutAbsent({
    averageValue: quantityIn(source, 'currentAverageValue') ?? '0',
    averageUtilization: integerIn(source, 'currentAverageUtilization'),
  })

export function statusFromV1(value: unknown): JsonObject {
  const status = objectOf(value)
  const object = objectIn(status, 'object')
  const pods = objectIn(status, 'pods')
  const resource = objectIn(status, 'resource')
  const containerResource = objectIn(status, 'containerResource')
  const external = objectIn(status, 'external')
  return withoutAbsent({
    type: textIn(status, 'type') ?? '',
    object: object && {
      metric: identifier(object, 'selector'),
      current: withoutAbsent({
        value: quantityIn(object, 'currentValue') ?? '0',
        averageValue: quantityIn(object, 'averageValue'),
      }),
      describedObject: reference(object),
    },
    pods: pods && {
      metric: identifier(pods, 'selector'),
      current: { averageValue: quantityIn(pods, 'currentAverageValue') ?? '0' },
    },
    resource: resource && { name: textIn(resource, 'name') ?? '', current: resourceStatus(resource) },
    containerResource: containerResource && {
      name: textIn(containerResource, 'name') ?? '',
      current: resourceStatus(containerResource),
      container: textIn(containerResource, 'container') ?? '',
    },
    external: external && {
      metric: identifier(external, 'metricSelector'),
      current: withoutAbsent({
        value: quantityIn(external, 'currentValue') ?? '0',
        averageValue: quantityIn(external, 'currentAverageValue'),
      }),
    },
  })
}
