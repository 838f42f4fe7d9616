/**
 * Component statuses: not stored, but asked of the components themselves whenever somebody wants to know.
 * Mirrors pkg/registry/core/componentstatus: REST.
 */
import { checkSubdomainName } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { ComponentHealth, KindRules, KindServices } from '../../kind-rules.ts'

export const componentStatusRules = ({ components }: KindServices): KindRules => ({
  strategy: { validateName: checkSubdomainName },
  computed: async () => (await components()).map(statusOf),
})

function statusOf({ name, healthy, message, error }: ComponentHealth): KubeObject {
  return {
    kind: 'ComponentStatus',
    apiVersion: 'v1',
    metadata: { name, creationTimestamp: null },
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
