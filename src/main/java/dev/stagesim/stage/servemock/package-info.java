/** The stage {@code serve_mock}: an OpenAI-style server at the speed of the serving simulator. */
@NullMarked
package dev.stagesim.stage.servemock;

import org.jspecify.annotations.NullMarked;
