/**
 * Messages of the protocol between the appliance and an engine that runs as a local HTTP service (README.md in this
 * folder). Answers are untrusted until parsed. Every answer names its engine, so that an exchanged service is noticed.
 */
import { z } from 'zod'

/** Base64 of at most 16 KiB. */
export const MAX_TEMPLATE_BYTES = 16 * 1024
const Template = z
  .base64()
  .min(1)
  .max(Math.ceil(MAX_TEMPLATE_BYTES / 3) * 4)

const Engine = z.object({ id: z.string().max(40), version: z.string().max(40), sha256: z.string().max(64) })

export const EngineAnswer = z.object({ engine: Engine })
export const TemplateAnswer = EngineAnswer.extend({ template: Template.nullable() })
export const ComparisonAnswer = EngineAnswer.extend({ scores: z.array(z.number().nullable()).max(4_096) })
export const AttackAnswer = EngineAnswer.extend({ score: z.number().min(0).max(1).nullable() })

/** Pixels of the picture that is sent, from its top left corner. */
type Place = readonly [x: number, y: number]

export interface FaceMessage {
  /** PNG in base64. */
  readonly image: string
  /** Left, top, width, height. */
  readonly box: readonly [number, number, number, number]
  readonly points: {
    readonly rightEye: Place
    readonly leftEye: Place
    readonly nose: Place
    readonly mouth: Place
  }
}

export type EngineCall =
  | { readonly path: '/v1/engine' }
  | { readonly path: '/v1/templates' | '/v1/attack-scores'; readonly body: FaceMessage }
  | {
      readonly path: '/v1/comparisons'
      readonly body: { readonly probe: string; readonly references: readonly string[] }
    }

export type EngineReply =
  | { readonly kind: 'answered'; readonly json: unknown }
  | { readonly kind: 'failed'; readonly trouble: 'unreachable' | 'timeout' | 'unexpected-answer' }

/** Asks the service of one engine. Never rejects. */
export type AskService = (
  engine: 'faceMatching' | 'attackDetection',
  call: EngineCall,
) => Promise<EngineReply>
