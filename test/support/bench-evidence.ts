/** Documents and portraits on a workflow bench, submitted and decided as for a relying service. */
import type { Evidence } from '../../server/proofing/evidence.ts'
import { aPassport, picture } from '../server/app/scripted-vision.ts'
import type { WorkflowBench } from './workflow-bench.ts'

export const FACE = picture({ shows: 'person', face: 'A' })
export const uploadOf = (bytes: Uint8Array) => ({ bytes, declaredType: 'image/jpeg' })

/** `bench` is called each time, because each test opens its own. */
export function evidenceOn(bench: () => WorkflowBench) {
  return {
    evidenceOf: (id: string): Evidence => {
      const evidence = bench().ctx.store.evidences.find(id)
      if (!evidence) throw new Error('no evidence')
      return evidence
    },
    aDocument: async (id: string, bytes: Uint8Array = aPassport()): Promise<string> => {
      const its = bench()
      const { id: evidenceId } = await its.workflows.submitDocument(its.caller, id, {
        front: uploadOf(bytes),
      })
      await its.runJobs()
      return evidenceId
    },
    aPortrait: async (id: string, bytes: Uint8Array = FACE): Promise<string> => {
      const its = bench()
      const { id: evidenceId } = await its.workflows.submitPortrait(its.caller, id, uploadOf(bytes))
      await its.runJobs()
      return evidenceId
    },
  }
}
