/** The static modes: AlwaysAllow and AlwaysDeny. */
import { type Authorizer, abstain, allow } from '../authorizer.ts'

export const alwaysAllow: Authorizer = {
  authorize: () => allow(),
  rulesFor: () => ({
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: false,
  }),
}

/** Denies by never allowing: an authorizer behind it may still allow, as in the reference. */
export const alwaysDeny: Authorizer = {
  authorize: () => abstain('Everything is forbidden.'),
  rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
}
