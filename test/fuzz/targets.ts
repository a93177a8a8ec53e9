import { loadCrypto } from '../../src/crypto/loadCrypto.ts'
import { httpTarget, socketTarget, textTarget } from './gatewayTargets.ts'
import { actionTarget, envelopeTarget, venueTarget } from './protocolTargets.ts'
import type { FuzzTarget } from './runFuzz.ts'
import { configTarget, journalTarget, rulesTarget } from './stateTargets.ts'

/** Everything that reads what others write. */
export async function fuzzTargets(): Promise<FuzzTarget[]> {
  const { keccak256 } = await loadCrypto({ prefer: 'wasm' })
  return [
    envelopeTarget(keccak256),
    actionTarget(keccak256),
    venueTarget,
    await socketTarget(),
    textTarget,
    await httpTarget(),
    configTarget,
    rulesTarget,
    await journalTarget(),
  ]
}
