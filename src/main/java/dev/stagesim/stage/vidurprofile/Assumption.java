package dev.stagesim.stage.vidurprofile;

/**
 * One figure a computed profile rests on.
 *
 * @param name settings key or card key
 * @param value the figure
 * @param unit its unit, empty for a share
 * @param source where it comes from
 */
record Assumption(String name, double value, String unit, String source) {}
