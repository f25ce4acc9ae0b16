/** What document and portrait have in common: a capture session that nobody needs any more is ended. */
import { AppError } from '../../errors.ts'
import type { CaptureStepName } from '../facts.ts'
import type { Turn } from '../kit.ts'

/** What is awaited and never comes would keep the whole visit open. One that has ended is left as it is. */
export async function abandonCapture({ kit, session }: Turn, step: CaptureStepName): Promise<void> {
  const sessionId = session.facts[step].current?.sessionId
  if (!sessionId) return
  try {
    await kit.deps.workflows.abandonCaptureSession(sessionId)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error
  }
}
