// Made by scripts/catalog.mjs. Do not edit.
import type { LabelSelector, ListMeta, ObjectMeta } from './meta-v1.ts'

export type AggregationRule = {
  clusterRoleSelectors?: LabelSelector[]
}

export type ClusterRole = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  rules: PolicyRule[] | null
  aggregationRule?: AggregationRule
}

export type ClusterRoleBinding = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  subjects?: Subject[]
  roleRef: RoleRef
}

export type ClusterRoleBindingList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: ClusterRoleBinding[] | null
}

export type ClusterRoleList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: ClusterRole[] | null
}

export type PolicyRule = {
  verbs: string[] | null
  apiGroups?: string[]
  resources?: string[]
  resourceNames?: string[]
  nonResourceURLs?: string[]
}

export type Role = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  rules: PolicyRule[] | null
}

export type RoleBinding = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  subjects?: Subject[]
  roleRef: RoleRef
}

export type RoleBindingList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: RoleBinding[] | null
}

export type RoleList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: Role[] | null
}

export type RoleRef = {
  apiGroup: string
  kind: string
  name: string
}

export type Subject = {
  kind: string
  apiGroup?: string
  name: string
  namespace?: string
}
