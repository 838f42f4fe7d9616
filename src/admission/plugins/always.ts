/**
 * The plugins that look at nothing: one lets all pass, one none.
 * Mirrors plugin/pkg/admission/admit: alwaysAdmit.
 * Mirrors plugin/pkg/admission/deny: alwaysDeny.
 */
import type { AdmissionRequest } from '../../api/admission.ts'
import { denied } from '../denied.ts'
import type { AdmissionPlugin } from '../plugin.ts'

export const alwaysAdmit: AdmissionPlugin = { name: 'AlwaysAdmit', handles: () => false }

const refuse = (request: AdmissionRequest): never => {
  throw denied(request, 'admission control is denying all modifications')
}

export const alwaysDenyPlugin: AdmissionPlugin = {
  name: 'AlwaysDeny',
  handles: () => true,
  mutate: refuse,
  validate: refuse,
}
