/** Opens the engines that the configuration mounts, and ours for the others. */
import type { Sessions } from '../sessions.ts'
import type { Engines } from './engine.ts'
import type { EngineMounts } from './engine-manifest.ts'
import { openHttpAttackEngine, openHttpFaceEngine } from './http-engines.ts'
import type { AskService } from './http-protocol.ts'
import { openOnnxAttackEngine, openOnnxFaceEngine } from './onnx-engines.ts'
import { openOwnEngines } from './own-engines.ts'

/** `ask`: reaches the services of HTTP engines. */
export async function openEngines(
  sessions: Sessions,
  mounts: EngineMounts,
  ask: AskService,
): Promise<Engines> {
  const own = openOwnEngines(sessions)
  const { faceMatching, attackDetection } = mounts
  return {
    faceMatching: faceMatching ? await openFaceEngine(faceMatching, ask) : own.faceMatching,
    attackDetection: attackDetection ? await openAttackEngine(attackDetection, ask) : own.attackDetection,
  }
}

async function openFaceEngine(mount: NonNullable<EngineMounts['faceMatching']>, ask: AskService) {
  const { runtime } = mount.manifest
  return runtime.type === 'onnx'
    ? openOnnxFaceEngine(mount, runtime)
    : openHttpFaceEngine(mount.manifest, (call) => ask('faceMatching', call))
}

async function openAttackEngine(mount: NonNullable<EngineMounts['attackDetection']>, ask: AskService) {
  const { runtime } = mount.manifest
  return runtime.type === 'onnx'
    ? openOnnxAttackEngine(mount, runtime)
    : openHttpAttackEngine(mount.manifest, (call) => ask('attackDetection', call))
}
