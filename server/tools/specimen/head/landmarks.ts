/** True places of facial landmarks: points on the model, projected by the picture's own camera. */
import type { Vector } from './pose.ts'
import type { Scene } from './scene.ts'

export type LandmarkName =
  | 'rightEyeOuter'
  | 'rightEyeInner'
  | 'leftEyeInner'
  | 'leftEyeOuter'
  | 'rightPupil'
  | 'leftPupil'
  | 'noseTip'
  | 'mouthRight'
  | 'mouthLeft'
  | 'upperLip'
  | 'lowerLip'
  | 'chin'

/** Names are from the person's view: the right eye is on the picture's left. */
export function landmarkPositions(scene: Scene): Record<LandmarkName, Vector> {
  const { eyes, mouth, skin, pose } = scene
  const { chin, nose } = scene.sitting.who

  /** First point of the skin along -z of the head's frame. */
  function onSkin(x: number, y: number): Vector {
    let z = 14
    for (let step = 0; step < 200 && z > -5; step++) {
      const d = skin.distance(x, y, z)
      if (d < 0.004) break
      z -= Math.max(0.004, d * 0.6)
    }
    return pose.toWorld(x, y, z)
  }

  const middle = mouth.at(0).line
  const corner = mouth.at(mouth.halfWidth).line
  const [outerX, outerY] = eyes.outerCorner
  const [innerX, innerY] = eyes.innerCorner
  return {
    rightEyeOuter: onSkin(-outerX, outerY),
    rightEyeInner: onSkin(-innerX, innerY),
    leftEyeInner: onSkin(innerX, innerY),
    leftEyeOuter: onSkin(outerX, outerY),
    rightPupil: pose.toWorld(-eyes.x, 0, eyes.z + eyes.ballRadius),
    leftPupil: pose.toWorld(eyes.x, 0, eyes.z + eyes.ballRadius),
    noseTip: onSkin(0, nose.y),
    mouthRight: onSkin(-mouth.halfWidth * 0.98, corner),
    mouthLeft: onSkin(mouth.halfWidth * 0.98, corner),
    upperLip: onSkin(0, middle),
    lowerLip: onSkin(0, middle - mouth.open),
    chin: pose.toWorld(0, chin.y - mouth.open + 0.1, chin.z + 0.3),
  }
}
