/** Submits one document to an appliance and waits for its verdict, as a relying service does. */
import { RefusedError, type EvidenceView, type RelyingService } from '../../demo/client.ts'

interface DocumentAnswer {
  /** The evidence's status, or REFUSED if the upload was refused. */
  readonly status: string
  /** Codes of the answer or of the refusal. */
  readonly codes: readonly string[]
  /** Null if the upload was refused. */
  readonly evidence: EvidenceView | null
}

/**
 * @param front path of the picture
 * @param back path of the other side
 */
export async function measureRecognition(
  service: RelyingService,
  front: string,
  back?: string,
): Promise<DocumentAnswer> {
  const { id } = await service.createIdentity([])
  await service.consent(id, ['ID_DOCUMENT'])
  try {
    const submitted = await service.submitDocument(id, front, back)
    await service.waitForEvidence(id, submitted.id)
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    return { status: 'REFUSED', codes: error.codes, evidence: null }
  }
  const evidence = (await service.identity(id)).idDocuments.at(0) ?? null
  return {
    status: evidence?.evidenceStatus.status ?? 'REFUSED',
    codes: evidence?.evidenceStatus.errors.map(({ code }) => code) ?? [],
    evidence,
  }
}
