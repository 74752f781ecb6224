// Renders a Helm chart as Helm does: Go's text/template with sprig's functions, include, toYaml and required.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v2"
)

func main() {
	chart := os.Args[1]
	values := map[string]interface{}{}
	for _, name := range append([]string{filepath.Join(chart, "values.yaml")}, os.Args[2:]...) {
		merge(values, read(name))
	}
	meta := read(filepath.Join(chart, "Chart.yaml"))
	data := map[string]interface{}{
		"Values":  values,
		"Chart":   map[string]interface{}{"Name": meta["name"], "Version": meta["version"], "AppVersion": meta["appVersion"]},
		"Release": map[string]interface{}{"Name": "book", "Namespace": "default", "Service": "Helm"},
	}
	root := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	functions["include"] = func(name string, data interface{}) (string, error) {
		var out bytes.Buffer
		err := root.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	functions["toYaml"] = func(value interface{}) (string, error) {
		out, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(out), "\n"), err
	}
	functions["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, fmt.Errorf("%s", message)
		}
		return value, nil
	}
	root.Funcs(functions)
	files, _ := filepath.Glob(filepath.Join(chart, "templates", "*"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(err)
		_, err = root.New(filepath.Base(file)).Parse(string(text))
		check(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".yaml") {
			fmt.Println("---")
			check(root.ExecuteTemplate(os.Stdout, filepath.Base(file), data))
		}
	}
}

func read(name string) map[string]interface{} {
	text, err := os.ReadFile(name)
	check(err)
	out := map[string]interface{}{}
	check(yaml.Unmarshal(text, &out))
	return plain(out).(map[string]interface{})
}

// plain turns the maps of yaml.v2 into maps by string, which is what sprig takes.
func plain(value interface{}) interface{} {
	switch v := value.(type) {
	case map[string]interface{}:
		for key := range v {
			v[key] = plain(v[key])
		}
		return v
	case map[interface{}]interface{}:
		out := map[string]interface{}{}
		for key := range v {
			out[fmt.Sprint(key)] = plain(v[key])
		}
		return out
	case []interface{}:
		for i := range v {
			v[i] = plain(v[i])
		}
	}
	return value
}

func merge(into, from map[string]interface{}) {
	for key, value := range from {
		below, isMap := value.(map[string]interface{})
		if old, ok := into[key].(map[string]interface{}); isMap && ok {
			merge(old, below)
			continue
		}
		into[key] = value
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
