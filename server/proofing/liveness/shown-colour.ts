/** Averages the light on skin and background over the frames of a colour step. Never judges. */
import type { CollectedLight } from './challenge-state.ts'
import type { ColourTrace, Light, LiveFace, ScreenColour } from './types.ts'

export const NO_LIGHT: CollectedLight = { frames: 0, skin: [], forehead: [], surround: [], edges: [] }

export function withLight(light: CollectedLight, face: LiveFace): CollectedLight {
  const add = (place: 'skin' | 'forehead' | 'surround' | 'edges'): readonly Light[] => {
    const seen = face[place]
    return seen && isLight(seen) ? [...light[place], seen] : light[place]
  }
  return {
    frames: light.frames + 1,
    skin: add('skin'),
    forehead: add('forehead'),
    surround: add('surround'),
    edges: add('edges'),
  }
}

/** Returns null if the skin was not visible. */
export function colourTrace(
  colour: ScreenColour,
  { skin, forehead, surround, edges }: CollectedLight,
): ColourTrace | null {
  if (skin.length === 0) return null
  return {
    colour,
    skin: averageLight(skin),
    forehead: forehead.length > 0 ? averageLight(forehead) : null,
    surround: surround.length > 0 ? averageLight(surround) : null,
    edges: edges.length > 0 ? averageLight(edges) : null,
    frames: skin.length,
  }
}

function averageLight(lights: readonly Light[]): Light {
  const mean = (of: (light: Light) => number): number =>
    lights.reduce((sum, light) => sum + of(light), 0) / lights.length
  return { r: mean(({ r }) => r), g: mean(({ g }) => g), b: mean(({ b }) => b) }
}

function isLight({ r, g, b }: Light): boolean {
  return [r, g, b].every(Number.isFinite)
}
