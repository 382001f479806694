package dev.stagesim.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MarkdownTest {
    @Test
    void buildsBlocks() {
        String text = new Markdown()
                .heading(2, "A *b*")
                .paragraph("first\nsecond")
                .item("Note:", "x_y and _z_")
                .endList()
                .code("./stage compare")
                .build();
        assertThat(text)
                .isEqualTo(
                        "## A \\*b\\*\n\nfirst second\n\n- **Note:** x_y and \\_z\\_\n\n```\n./stage compare\n```\n");
    }

    @Test
    void escapesHtmlInData() {
        assertThat(Markdown.escape("<script>")).isEqualTo("\\<script\\>");
    }
}
