/**
 * Component statuses: not stored, but asked of the components themselves on every read.
 * Mirrors pkg/registry/core/componentstatus: REST.
 */
import type { KubeObject } from '../../../../api/object.ts'
import type { ComponentHealth, KindRules, KindServices } from '../../../kind-rules.ts'

export const componentStatusRules = ({ components, gate }: KindServices): KindRules => ({
  strategy: {},
  virtualObjects: async () => (await components()).map((each) => statusOf(each, gate('release:omitsZeroTime'))),
})

function statusOf({ name, healthy, message, error }: ComponentHealth, omitsTime: boolean): KubeObject {
  return {
    kind: 'ComponentStatus',
    apiVersion: 'v1',
    metadata: omitsTime ? { name } : { name, creationTimestamp: null },
    conditions: [
      {
        type: 'Healthy',
        status: healthy ? 'True' : 'False',
        ...(message === '' ? {} : { message }),
        ...(error === '' ? {} : { error }),
      },
    ],
  }
}
