/** What the audit log records: read from the policy file, applied to each request. */
export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse'
export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic'

export interface AuditPolicy {
  readonly rules: readonly AuditRule[]
  /** Stages that are never recorded. */
  readonly omitStages: readonly AuditStage[]
  readonly omitManagedFields: boolean
}

/** The first rule that matches a request decides. What is empty matches everything. */
export interface AuditRule {
  readonly level: AuditLevel
  readonly users: readonly string[]
  readonly userGroups: readonly string[]
  readonly verbs: readonly string[]
  readonly resources: readonly AuditResources[]
  readonly namespaces: readonly string[]
  readonly nonResourceURLs: readonly string[]
  readonly omitStages: readonly AuditStage[]
  readonly omitManagedFields: boolean | undefined
}

export interface AuditResources {
  readonly group: string
  readonly resources: readonly string[]
  readonly resourceNames: readonly string[]
}
