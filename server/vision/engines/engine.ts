/**
 * The two kinds of engine that a tenant may replace: one compares faces, one detects presentation attacks. Ours, a mounted
 * ONNX file and a local HTTP service stand behind the same interfaces. Types, and the relation of a score to its points.
 */
import type { FourPoints } from '../faces/align.ts'
import { isAtOrBeyond } from '../faces/scores.ts'
import type {
  AttackPoint,
  Box,
  EngineFailure,
  FaceComparison,
  ModelUse,
  OperatingPoint,
} from '../protocol.ts'
import type { Raster } from '../raster.ts'

/** A face that was found in a picture. */
export interface FacePicture {
  readonly raster: Raster
  /** Box of our detector. */
  readonly box: Box
  /** Right eye, left eye, nose, mouth centre, in pixels of the picture. */
  readonly points: FourPoints
}

/** Bytes that only their engine interprets; they begin with the names of what made them (template-bytes.ts). */
export type FaceTemplate = Uint8Array

export type PointUse = 'decision' | 'review' | 'strict'
export type OperatingPoints = Readonly<Record<PointUse, OperatingPoint>>

/** The publisher's statements on an engine. */
export interface ModelCard {
  readonly publisher: string
  readonly licence: string
  readonly trainingData: string
  readonly intendedUse: string
  /** Error rates with their source, and known limits. */
  readonly knownRates: string
}

export interface Engine {
  /** Recorded in the proof. `sha256`: of the model's file; of the list of hashes if there are several. */
  readonly about: ModelUse
  readonly card: ModelCard
  /** The networks of this engine, or the engine itself. */
  readonly models: readonly ModelUse[]
  /** The reason why it cannot answer now; null if it can. */
  check(): Promise<EngineTrouble | null>
  /** The fault of a refused file, for the operator. */
  readonly fault?: string
}

export interface EngineScore {
  /** The score to which the operating points apply. */
  readonly score: number
  readonly scores: NonNullable<FaceComparison['comparison']>['scores']
}

/** Every call rejects with EngineUnavailableError if the engine cannot answer. */
export interface FaceMatchEngine extends Engine {
  readonly points: OperatingPoints
  /** Null if the engine can use no face there. */
  embed(face: FacePicture): Promise<FaceTemplate | null>
  /** One template of several pictures of one person; at least one template, none already fused. */
  fuse(templates: readonly FaceTemplate[]): Promise<FaceTemplate>
  /** One score for each reference; null if one of both is no template of this engine in this version. */
  compare(probe: FaceTemplate, references: readonly FaceTemplate[]): Promise<readonly (EngineScore | null)[]>
}

export interface AttackDetectionEngine extends Engine {
  /** A picture that scores below it looks like an attack. */
  readonly point: AttackPoint
  /** 0 to 1, higher is more bona fide; null if the engine cannot judge this picture. */
  score(face: FacePicture): Promise<number | null>
}

/** Null: no networks against presentation attacks are installed, and no engine is mounted. */
export interface Engines {
  readonly faceMatching: FaceMatchEngine
  readonly attackDetection: AttackDetectionEngine | null
}

/** Why a mounted engine gives no answer. No other engine answers in its place. */
export type EngineTrouble = EngineFailure['trouble']

export class EngineUnavailableError extends Error {
  override readonly name = 'EngineUnavailableError'
  readonly trouble: EngineTrouble
  constructor(trouble: EngineTrouble) {
    super(trouble)
    this.trouble = trouble
  }
}

/** Names in a template what made it: an engine or a network by its id, its version and its weights. */
export function nameMaker({ id, version, sha256 }: ModelUse): string {
  return `${id}@${version}:${sha256.slice(0, 16)}`
}

export type ScoredComparison = NonNullable<FaceComparison['comparison']>

export function relateToPoints(
  { about, points: { decision, review } }: FaceMatchEngine,
  { score, scores }: EngineScore,
): ScoredComparison {
  return {
    engine: about,
    score,
    operatingPoint: decision,
    reviewPoint: review,
    atOrBeyondThreshold: isAtOrBeyond(decision.measure, score, decision.threshold),
    scores,
  }
}
