import type { Mode } from '../../core/events/guardEvent.ts'
import type { Address } from '../../core/values/address.ts'
import type { Decimal } from '../../core/values/decimal.ts'
import type { CommonOptions } from '../commonOptions.ts'

export interface InitOptions extends CommonOptions {
  readonly mode?: Mode
  readonly account?: Address
  readonly via?: Address
  readonly venueUrl?: string
  readonly listen: string
  readonly rules?: string
  readonly keyFile?: string
  readonly keyStdin?: boolean
  readonly passphraseFile?: string
  readonly clientName: string
  readonly clientKeyOut?: string
  readonly equityCap?: Decimal
  readonly confirmMainnet?: Address
  readonly force?: boolean
}
