/**
 * All limits of the capture elements in one table. The appliance decides whether a picture is good
 * (resources/quality.json, resources/liveness.json); these limits only time the help and the page's own
 * measurements.
 */
export const CAPTURE_LIMITS = {
  version: 1,
  guidance: {
    /** A message appears when its cause lasted 400 ms, and stays 1.5 s. */
    appearsAfterMs: 400,
    staysMs: 1_500,
    /** The same message is spoken at most every 6 s. */
    spokenAgainAfterMs: 6_000,
    /** No document for 1.5 s. */
    nothingSeenMs: 1_500,
    /** Starting value: an older answer no longer describes the present picture. */
    staleAfterMs: 1_500,
  },
  frames: {
    /** server/capture/router.ts: four live pictures a second. */
    everyMs: 250,
    /** The size with which the limits of resources/quality.json were measured. */
    longSidePx: 1_920,
    /** Starting value: small print stays readable, and a picture of 1920 × 1080 has 0.2 to 0.6 MB. */
    quality: 0.9,
    /** server/capture/router.ts: a live picture, and a further one of a document. */
    mostBytes: 2 * 1024 * 1024,
    /** server/capture/router.ts: more further pictures do not improve a vote. */
    mostFurther: 4,
    /**
     * Starting value: a picture without an answer is given up after this time. It is long, because a busy
     * appliance refuses the next picture (429) until it has examined this one.
     */
    answerWithinMs: 15_000,
    /**
     * Starting value: the longest pause after pictures that were refused or not answered; the pause grows
     * step by step.
     */
    longestPauseMs: 2_000,
  },
  photo: { quality: 0.95 },
  shutter: {
    /** The ring fills in 0.8 s; the best of 5 pictures is taken. */
    readyForMs: 800,
    bestOf: 5,
    /**
     * Starting value: one good picture can be chance. For a slow appliance one is enough after the second
     * time.
     */
    goodPictures: 2,
    onePictureAfterMs: 2_000,
    /** Starting value: losing a ring that was more than half full counts as a failed try. */
    brokenFromShare: 0.5,
    /** ux screen 4: the still stays 1.2 s. */
    stillShownMs: 1_200,
  },
  ladder: {
    /** ux screen 4, "Ladder". */
    highlightAfterMs: 12_000,
    tipsAfterMs: 25_000,
    automaticTries: 3,
    manualTries: 2,
  },
  glare: {
    /** ux screen 4: after two repeats several pictures are captured during the tilting. */
    repeats: 2,
    /** Starting value: time to read the message and to try it. */
    repeatAfterMs: 2_500,
    /** Starting values: five views over two seconds of tilting. */
    tiltedPictures: 5,
    tiltedEveryMs: 400,
  },
  motion: {
    /**
     * Starting value: mean difference of a picture of 64 × 48 grey dots, on a scale of 255, with its
     * brightness normalised.
     */
    movingAbove: 5,
    /** 10 % hysteresis of the same table. */
    stillBelow: 4.5,
    everyMs: 100,
    widthPx: 64,
    heightPx: 48,
  },
  sides: {
    /**
     * Starting value: correlation of 24 × 15 grey dots of the flattened document. Two views of one side reach 0.9.
     */
    sameFrom: 0.75,
  },
  shiny: {
    /** ux table, GLARE: a patch of luma 245 and more. */
    luma: 245,
    /** 0.4 % of the card. */
    leastShare: 0.004,
    /**
     * Starting value: a bright patch with a larger ratio of length to width is a white strip of paper, not a
     * reflection.
     */
    mostElongated: 3,
    /** BRIGHT: more than 20 % of the pixels at 250 and more. */
    brightLuma: 250,
    brightShare: 0.2,
    widthPx: 160,
    heightPx: 90,
  },
  retry: {
    /** Starting values: pauses between tries to send; the last one repeats. */
    pausesMs: [1_000, 2_000, 4_000, 8_000],
    sendWithinMs: 60_000,
  },
  camera: {
    /**
     * Starting value: interval of retries with a busy or lost camera, in addition to each change of devices.
     */
    againMs: 3_000,
    /** Starting value: without a new picture for this time the camera counts as stopped. */
    silentMs: 5_000,
  },
  portrait: {
    /** server/capture/README.md: 640 × 480 to 1280 × 720, quality 80 to 90. */
    longSidePx: 1_280,
    shortSidePx: 720,
    quality: 0.85,
    /**
     * Starting value: below `longestGapMs` of resources/liveness.json, after which the appliance takes no
     * more pictures.
     */
    sameAtMostMs: 3_000,
    /** ux screen 8 a: the oval grows 1.4 times. */
    ovalGrows: 1.4,
  },
} as const
