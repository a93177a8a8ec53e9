import { alertKinds } from './alertKinds.ts'
import type { KindFacts } from './severity.ts'

export type AlertKind = keyof typeof alertKinds

export const alertKindNames = Object.keys(alertKinds) as AlertKind[]

export function factsOf(kind: AlertKind): KindFacts {
  return alertKinds[kind]
}
