import java.io.*;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import weka.core.*;
import weka.core.converters.ArffLoader.ArffReader;

/** Prints what Weka reads of ARFF files: attributes, rows, weights; or that it refuses one. */
public class WekaValues {
    static String code(String text) {
        return "'" + URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    static String value(Instance row, int column) {
        if (row.isMissing(column)) return "?";
        Attribute attribute = row.attribute(column);
        if (attribute.isNominal() || attribute.isString()) return code(row.stringValue(column));
        return (attribute.isDate() ? "d" : "") + row.value(column);
    }

    public static void main(String[] paths) throws Exception {
        for (String path : paths) {
            StringBuilder text = new StringBuilder();
            try (Reader reader = Files.newBufferedReader(Paths.get(path), StandardCharsets.UTF_8)) {
                Instances data = new ArffReader(reader).getData();
                for (int i = 0; i < data.numAttributes(); i++)
                    text.append(code(data.attribute(i).name())).append('\t');
                text.append("weight\n");
                for (int r = 0; r < data.numInstances(); r++) {
                    Instance row = data.instance(r);
                    for (int i = 0; i < data.numAttributes(); i++)
                        text.append(value(row, i)).append('\t');
                    text.append(row.weight()).append('\n');
                }
            } catch (Exception error) {
                text = new StringBuilder("refused: " + (error + "").replace('\n', ' ') + "\n");
            }
            System.out.print("file\n" + text);
        }
    }
}
